import { startMailStandIn, type MailStandIn } from "#stand-ins/mail/server.ts";
import { startTelegramStandIn, type TelegramStandIn } from "#stand-ins/telegram/server.ts";
import { startTestService, type TestService, type TestServiceOptions } from "./test-service.ts";

/** A service with its own Telegram and mail servers. */
export type MessageWorld = TestService & {
  readonly telegram: TelegramStandIn;
  readonly mail: MailStandIn;
};

export async function openMessageWorld(options: TestServiceOptions = {}): Promise<MessageWorld> {
  const telegram = await startTelegramStandIn();
  const mail = await startMailStandIn();
  const service = await startTestService({
    ...options,
    settings: {
      TELEGRAM_API_URL: telegram.url,
      TELEGRAM_BOT_TOKEN: telegram.botToken,
      SMTP_URL: mail.smtpUrl,
      MAIL_FROM: "Vodkeep <vodkeep@example.org>",
      ...options.settings,
    },
  });
  return {
    ...service,
    telegram,
    mail,
    async close() {
      await service.close();
      await Promise.all([telegram.close(), mail.close()]);
    },
  };
}
