import process from "node:process";
import { startTelegramStandIn } from "./server.ts";

/**
 * The stand-in as a process of its own. HOST and PORT say where. Prints one line of JSON once it
 * serves: the settings for the service, and the page to chat on.
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
