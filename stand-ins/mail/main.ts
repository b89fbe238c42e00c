import process from "node:process";
import { startMailStandIn } from "./server.ts";

/**
 * Runs the stand-in as a separate process, listening on HOST, SMTP_PORT and PORT. When it serves,
 * prints one line of JSON: the settings for the service, and the URL of the inbox.
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
