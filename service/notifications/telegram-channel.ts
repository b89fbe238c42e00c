import type { ServiceContext } from "#service/context.ts";
import { SEND_TIMEOUT_MS, DeliveryError, type ChannelSender } from "./channel.ts";
import { messagePrefix, messageText } from "./message-text.ts";
import type { TelegramApi } from "./telegram-api.ts";

const NOT_CONFIGURED = "Telegram needs a bot: TELEGRAM_BOT_TOKEN is not set on the server.";

export function telegramChannel(
  context: Pick<ServiceContext, "settings">,
  api: TelegramApi | null,
): ChannelSender {
  const prefix = messagePrefix(context.settings);
  return {
    channel: "telegram",
    label: "Telegram",
    unavailableReason: api === null ? NOT_CONFIGURED : null,
    addressOf: (preferences) => preferences.telegramUserId ?? null,
    addressMissing: "Enter your Telegram User ID and save it first.",
    async send(chatId, message) {
      if (api === null) throw new DeliveryError("try_later", NOT_CONFIGURED);
      await api.sendMessage(chatId, messageText(prefix, message), SEND_TIMEOUT_MS);
    },
  };
}
