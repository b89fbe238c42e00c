import { getPreferences, notificationConfig } from "#contract/notifications.ts";
import type { Parts } from "#contract/testing/build.ts";
import type { DataOf } from "#contract/call.ts";
import type { scriptService } from "./scripted-service.ts";

export const CONFIG: Parts<DataOf<typeof notificationConfig>> = {
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
    telegramBotId: "1",
    telegramBotName: "vodkeep_bot",
    telegramBotStatus: "active",
    messagePrefix: "[PREVIEW]",
  },
};

/** Answers what the Notifications screen asks for: one event can be sent. */
export function answerNotifications({ answer }: ReturnType<typeof scriptService>): void {
  answer(notificationConfig, () => CONFIG);
  answer(getPreferences, () => ({ enabledEvents: { upload_failed: ["browser"] } }));
}
