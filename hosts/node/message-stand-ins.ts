import * as z from "zod/mini";
import type { Settings } from "#service/settings.ts";
import { startChildProgram } from "./child-program.ts";

const addressesSchema = z.object({
  telegramUrl: z.string(),
  botToken: z.string(),
  botName: z.string(),
  smtpUrl: z.string(),
  inboxUrl: z.string(),
});

export type MessageStandIns = {
  /** Settings that point the service at the running stand-ins. */
  readonly settings: Readonly<Record<string, string>>;
  /** Lines for the terminal: where to see the messages. */
  readonly notes: readonly string[];
  close(): void;
};

/**
 * Starts Telegram and mail stand-ins as a child process, for channels without configuration. Null
 * when both are configured.
 */
export async function startMessageStandIns(
  given: Pick<Settings, "TELEGRAM_BOT_TOKEN" | "SMTP_URL">,
): Promise<MessageStandIns | null> {
  const needsTelegram = given.TELEGRAM_BOT_TOKEN === undefined;
  const needsMail = given.SMTP_URL === undefined;
  if (!needsTelegram && !needsMail) return null;
  const { message: addresses, close } = await startChildProgram(
    "message-stand-ins-process",
    [],
    addressesSchema,
  );
  return {
    settings: {
      ...(needsTelegram
        ? {
            TELEGRAM_API_URL: addresses.telegramUrl,
            TELEGRAM_BOT_TOKEN: addresses.botToken,
            TELEGRAM_BOT_NAME: addresses.botName,
          }
        : {}),
      ...(needsMail
        ? { SMTP_URL: addresses.smtpUrl, MAIL_FROM: "Vodkeep <vodkeep@localhost>" }
        : {}),
    },
    notes: [
      ...(needsTelegram
        ? [`No Telegram bot is set: a stand-in plays Telegram at ${addresses.telegramUrl}`]
        : []),
      ...(needsMail
        ? [`No mail server is set: what is mailed can be read at ${addresses.inboxUrl}`]
        : []),
    ],
    close,
  };
}
