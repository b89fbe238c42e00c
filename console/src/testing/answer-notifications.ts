import type { DataOf } from "#contract/call.ts";
import { getPreferences, notificationConfig, notificationEvents } from "#contract/notifications.ts";
import { listWebhooks } from "#contract/webhooks.ts";
import type { scriptService } from "./scripted-service.ts";

export const CONFIG: DataOf<typeof notificationConfig> = {
  eventTypes: [
    {
      type: "upload_failed",
      label: "Upload failed",
      description: "An upload has failed.",
      severity: "high",
    },
  ],
  channels: [
    { type: "browser", label: "Browser", available: true },
    { type: "telegram", label: "Telegram", available: true },
    { type: "email", label: "Email", available: false },
  ],
  account: {
    environment: "preview",
    defaultAdminUser: null,
    telegramBotId: "1",
    telegramBotName: "vodkeep_bot",
    telegramBotStatus: "active",
    telegramChatUrl: null,
    messagePrefix: "[PREVIEW]",
  },
};

/** Answers what the Notifications screen asks for: nothing was delivered yet. */
export function answerNotifications({ answer }: ReturnType<typeof scriptService>): void {
  answer(notificationConfig, () => CONFIG);
  answer(getPreferences, () => ({ enabledEvents: { upload_failed: ["browser" as const] } }));
  answer(notificationEvents, () => ({ events: [], total: 0 }));
  answer(listWebhooks, () => ({ webhooks: [] }));
}
