import { join } from "node:path";
import { withObjectStore } from "#program/with-object-store.ts";
import { readSettings } from "#service/settings.ts";
import { startChild } from "./child.ts";
import { checkStore, findLeftRows, readPlannedRemovals } from "./kill-check.ts";
import type { Killable } from "./killable.ts";

export function killableNodeHost(folder: string): Killable {
  const database = join(folder, "vodkeep.db");
  return {
    start: (settings) => startChild("hosts/node/main.ts", { ...settings, DATA_DIR: folder }),
    // One process at a time holds the folder, so it knows that earlier ones have ended.
    afterKill: () => false,
    leftRows: () => findLeftRows(database),
    check: (expected) =>
      withObjectStore(readSettings({}), folder, fetch, (store) =>
        checkStore(store, expected, readPlannedRemovals(database)),
      ),
    archivesAtOnce: 3,
    resumeWithinMs: 60_000,
    unrecordedBytes: 0,
    // Of 48 MiB of copy memory, two part buffers are not available to segments.
    fetchAheadBytes: 32 * 1024 * 1024,
  };
}
