import type { ServiceContext } from "#service/context.ts";
import { MailError } from "#service/ports/mail.ts";
import { SEND_TIMEOUT_MS, DeliveryError, type ChannelSender } from "./channel.ts";
import { messageHtml, messagePrefix, messageSubject, messageText } from "./message-text.ts";

const NOT_CONFIGURED =
  "Email needs a mail server: SMTP_URL and MAIL_FROM are not set on the server.";

export function emailChannel(
  context: Pick<ServiceContext, "platform" | "settings">,
): ChannelSender {
  const { mail } = context.platform;
  const prefix = messagePrefix(context.settings);
  const idDomain = new URL(context.settings.PUBLIC_URL).hostname;
  return {
    channel: "email",
    label: "Email",
    unavailableReason: mail === null ? NOT_CONFIGURED : null,
    addressOf: (preferences) => preferences.email ?? null,
    addressMissing: "Enter your email address and save it first.",
    async send(address, message) {
      if (mail === null) throw new DeliveryError("try_later", NOT_CONFIGURED);
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
