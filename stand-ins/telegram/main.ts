import process from "node:process";
import { startTelegramStandIn } from "./server.ts";

/**
 * Runs the stand-in as a separate process, listening on HOST and PORT. When it serves, prints one
 * line of JSON: the settings for the service, and the URL of the chat page.
 */
const standIn = await startTelegramStandIn({
  host: process.env["HOST"] ?? "127.0.0.1",
  port: Number(process.env["PORT"] ?? 0),
});

const { url, botToken, botName } = standIn;
process.stdout.write(`${JSON.stringify({ ready: true, url, botToken, botName })}\n`);

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    void standIn.close().then(() => process.exit(0));
  });
}
