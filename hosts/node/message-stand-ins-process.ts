import { startMailStandIn } from "#stand-ins/mail/server.ts";
import { startTelegramStandIn } from "#stand-ins/telegram/server.ts";
import { reportToParent } from "./report-to-parent.ts";

/** Runs the Telegram and mail stand-ins in a separate process, which ends with its parent. */
const host = "127.0.0.1";
const [telegram, mail] = await Promise.all([
  startTelegramStandIn({ host, port: 0 }),
  startMailStandIn({ host, smtpPort: 0, httpPort: 0 }),
]);
reportToParent({
  telegramUrl: telegram.url,
  botToken: telegram.botToken,
  botName: telegram.botName,
  smtpUrl: mail.smtpUrl,
  inboxUrl: mail.inboxUrl,
});
