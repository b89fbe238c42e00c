import { readFileSync, renameSync, writeFileSync } from "node:fs";
import process from "node:process";
import { startTwitchStandIn, type SavedState } from "#stand-ins/twitch/server.ts";
import { fileErrorCode } from "./file-error.ts";
import { reportToParent } from "./report-to-parent.ts";

/** A process that is killed forgets what it was told in this time. */
const SAVE_EVERY_MS = 1_000;

/**
 * The Twitch stand-in in a process of its own, so that serving video does not take time from the
 * server. Ends with its parent, however that ends. Its port and its sign-ins are kept in a file, so
 * that sessions and running archives survive a restart.
 */
const [clientId = "", clientSecret = "", stateFile = ""] = process.argv.slice(2);
const saved = readState();
const options = { host: "127.0.0.1", clientId, clientSecret, saved };
const standIn = await startTwitchStandIn({ ...options, port: saved?.port ?? 0 }).catch(
  (error: unknown) => {
    // Another program has the port by now; running archives will then fail.
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

/** Null at the first start, and when the file cannot be read: everything then begins anew. */
function readState(): SavedState | null {
  try {
    const state: SavedState = JSON.parse(readFileSync(stateFile, "utf8"));
    return state;
  } catch {
    return null;
  }
}
