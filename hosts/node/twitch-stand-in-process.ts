import { readFileSync, renameSync, writeFileSync } from "node:fs";
import process from "node:process";
import { startTwitchStandIn, type SavedState } from "#stand-ins/twitch/server.ts";
import { fileErrorCode } from "./file-error.ts";
import { reportToParent } from "./report-to-parent.ts";

/** A killed process loses at most this much of its state. */
const SAVE_EVERY_MS = 1_000;

/**
 * Runs the Twitch stand-in in a separate process, so that serving video does not slow down the
 * server. It ends with its parent. Its port and sign-ins are kept in a file, so that sessions and
 * running archives survive a restart.
 */
const [clientId = "", clientSecret = "", stateFile = ""] = process.argv.slice(2);
const saved = readState();
const options = { host: "127.0.0.1", clientId, clientSecret, saved };
const standIn = await startTwitchStandIn({ ...options, port: saved?.port ?? 0 }).catch(
  (error: unknown) => {
    // Another program has taken the port; running archives will fail.
    if (fileErrorCode(error) === "EADDRINUSE") return startTwitchStandIn(options);
    throw error;
  },
);

let written = "";
save();
setInterval(save, SAVE_EVERY_MS);
process.on("exit", save);
const { idUrl, apiUrl, gqlUrl, usherUrl, mediaHost } = standIn;
reportToParent({ idUrl, apiUrl, gqlUrl, usherUrl, mediaHost });

function save(): void {
  const state = JSON.stringify(standIn.save());
  if (state === written) return;
  writeFileSync(`${stateFile}.new`, state, { mode: 0o600 });
  renameSync(`${stateFile}.new`, stateFile);
  written = state;
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
