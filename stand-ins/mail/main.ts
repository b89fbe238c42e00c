import process from "node:process";
import { startMailStandIn } from "./server.ts";

/**
 * The stand-in as a process of its own. HOST, SMTP_PORT and PORT say where. Prints one line of JSON
 * once it serves: the settings for the service, and the page of the inbox.
 */
const standIn = await startMailStandIn({
  host: process.env["HOST"] ?? "127.0.0.1",
  smtpPort: Number(process.env["SMTP_PORT"] ?? 0),
  httpPort: Number(process.env["PORT"] ?? 0),
});

const { smtpUrl, inboxUrl } = standIn;
process.stdout.write(`${JSON.stringify({ ready: true, smtpUrl, inboxUrl })}\n`);

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    void standIn.close().then(() => process.exit(0));
  });
}
