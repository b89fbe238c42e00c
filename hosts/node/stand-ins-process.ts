import { readFileSync, renameSync, writeFileSync } from "node:fs";
import process from "node:process";
import { startMailStandIn } from "#stand-ins/mail/server.ts";
import { startTelegramStandIn } from "#stand-ins/telegram/server.ts";
import { startTwitchStandIn, type SavedState } from "#stand-ins/twitch/server.ts";
import { fileErrorCode } from "./file-error.ts";

/** A killed process loses at most this much of its state. */
const SAVE_EVERY_MS = 1_000;

/**
 * Runs the stand-ins in a separate process, so that serving video does not slow down the server. It
 * reports their addresses to its parent and ends with it. The port and the sign-ins of Twitch are
 * kept in a file, so that sessions and running archives survive a restart.
 */
const [stateFile = ""] = process.argv.slice(2);
const saved = readState();
const [twitch, telegram, mail] = await Promise.all([
  startTwitchStandIn({ saved, port: saved?.port ?? 0 }).catch((error: unknown) => {
    // Another program has taken the port; running archives will fail.
    if (fileErrorCode(error) === "EADDRINUSE") return startTwitchStandIn({ saved });
    throw error;
  }),
  startTelegramStandIn(),
  startMailStandIn(),
]);

twitch.control.schedule("1010", {
  title: "Ships in the fog",
  everyMs: 20 * 60_000,
  lastsMs: 10 * 60_000,
  vodLateMs: 20_000,
});

let written = "";
save();
setInterval(save, SAVE_EVERY_MS);
process.on("exit", save);
process.once("disconnect", () => process.exit(0));
// Ctrl+C in a terminal reaches the whole process group; the parent decides when this one ends.
process.on("SIGINT", () => undefined);
// The parent may have ended already.
if (!process.connected) process.exit(0);
const addresses = {
  twitch: { url: twitch.url, settings: twitch.settings },
  telegram: { url: telegram.url, botToken: telegram.botToken },
  mail: { smtpUrl: mail.smtpUrl, inboxUrl: mail.inboxUrl },
};
process.send?.(addresses, (error: Error | null) => {
  if (error !== null) process.exit(0);
});

function save(): void {
  const state = JSON.stringify(twitch.save());
  if (state === written) return;
  try {
    writeFileSync(`${stateFile}.new`, state, { mode: 0o600 });
    renameSync(`${stateFile}.new`, stateFile);
    written = state;
  } catch {
    // The disk may be full: the next call tries again.
  }
}

/** Null at the first start or when the file cannot be read: the state is then new. */
function readState(): SavedState | null {
  try {
    const state: SavedState = JSON.parse(readFileSync(stateFile, "utf8"));
    return state;
  } catch {
    return null;
  }
}
