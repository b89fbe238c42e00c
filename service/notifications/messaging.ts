import type { ServiceContext } from "#service/context.ts";
import { type ChannelSender, SEND_TIMEOUT_MS, DeliveryError } from "./channel.ts";
import { createTelegramApi, type TelegramApi } from "./telegram-api.ts";
import { MailError } from "#service/ports/mail.ts";
import { messageHtml, messagePrefix, messageSubject, messageText } from "./message-text.ts";

/** The outgoing channels; created once at start. */
export type Messaging = {
  readonly telegramApi: TelegramApi | null;
  readonly telegram: ChannelSender;
  readonly email: ChannelSender;
  /** In the console's order, after the browser. */
  readonly senders: readonly ChannelSender[];
};

export function createMessaging(context: Pick<ServiceContext, "platform" | "settings">): Messaging {
  const telegramApi = createTelegramApi(context);
  const telegram = telegramChannel(context, telegramApi);
  const email = emailChannel(context);
  return { telegramApi, telegram, email, senders: [telegram, email] };
}

const NO_SERVER = "Email needs a mail server: SMTP_URL and MAIL_FROM are not set on the server.";

function emailChannel(context: Pick<ServiceContext, "platform" | "settings">): ChannelSender {
  const { mail } = context.platform;
  const prefix = messagePrefix(context.settings);
  const idDomain = new URL(context.settings.PUBLIC_URL).hostname;
  return {
    channel: "email",
    label: "Email",
    unavailableReason: mail === null ? NO_SERVER : null,
    addressOf: (preferences) => preferences.email ?? null,
    addressMissing: "Enter your email address and save it first.",
    async send(address, message) {
      if (mail === null) throw new DeliveryError("try_later", NO_SERVER);
      try {
        await mail.send(
          {
            to: address,
            subject: messageSubject(prefix, message),
            text: messageText(prefix, message),
            html: messageHtml(prefix, message),
            messageId: `<${message.deliveryId}@${idDomain}>`,
          },
          SEND_TIMEOUT_MS,
        );
      } catch (error) {
        throw translateMailError(error);
      }
    },
  };
}

function translateMailError(error: unknown): DeliveryError {
  if (!(error instanceof MailError)) {
    return new DeliveryError("try_later", "The mail could not be sent.");
  }
  return error.kind === "refused"
    ? new DeliveryError("refused", `The mail server refused the message: ${error.message}`)
    : new DeliveryError(
        "try_later",
        `The mail server cannot take the message now: ${error.message}`,
      );
}

const NO_BOT = "Telegram needs a bot: TELEGRAM_BOT_TOKEN is not set on the server.";

function telegramChannel(
  context: Pick<ServiceContext, "settings">,
  api: TelegramApi | null,
): ChannelSender {
  const prefix = messagePrefix(context.settings);
  return {
    channel: "telegram",
    label: "Telegram",
    unavailableReason: api === null ? NO_BOT : null,
    addressOf: (preferences) => preferences.telegramUserId ?? null,
    addressMissing: "Enter your Telegram User ID and save it first.",
    async send(chatId, message) {
      if (api === null) throw new DeliveryError("try_later", NO_BOT);
      await api.sendMessage(chatId, messageText(prefix, message), SEND_TIMEOUT_MS);
    },
  };
}
