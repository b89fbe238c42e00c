import process from "node:process";
import { startTwitchStandIn } from "./server.ts";

/**
 * Runs the stand-in as a separate process, listening on HOST and PORT, for the client
 * TWITCH_CLIENT_ID with TWITCH_CLIENT_SECRET. Prints one line of JSON when it serves.
 */
const standIn = await startTwitchStandIn({
  host: process.env["HOST"] ?? "127.0.0.1",
  port: Number(process.env["PORT"] ?? 0),
  clientId: process.env["TWITCH_CLIENT_ID"] ?? "standinclientid",
  clientSecret: process.env["TWITCH_CLIENT_SECRET"] ?? "standinclientsecret",
});

const { url, port, idUrl, apiUrl, gqlUrl, usherUrl, mediaHost } = standIn;
process.stdout.write(
  `${JSON.stringify({ ready: true, url, port, idUrl, apiUrl, gqlUrl, usherUrl, mediaHost })}\n`,
);

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    void standIn.close().then(() => process.exit(0));
  });
}
