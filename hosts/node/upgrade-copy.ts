import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { SettingsError } from "#service/settings.ts";
import { snapshotSizeBytes, takeDatabaseSnapshot } from "./database-snapshot.ts";
import { syncFolderAtStart } from "./sync-folder.ts";

const DATABASE = "vodkeep.db";
const PREFIX = `${DATABASE}.before-`;

/** The way back from the upgrade before this one stays open while this one is tried. */
const KEPT = 2;

/**
 * Copies the database to `vodkeep.db.before-<step>`, durably, before the step and those after it
 * change it. Keeps this copy and the newest other one. Repeating is safe: the copy is replaced.
 *
 * @throws {SettingsError} when it cannot be made; the database is as it was.
 */
export function copyBeforeUpgrade(
  dataFolder: string,
  step: string,
  freeBytes = readFreeBytes,
): void {
  const database = join(dataFolder, DATABASE);
  const name = `${PREFIX}${step}`;
  const fresh = join(dataFolder, `${PREFIX.slice(0, -1)}.new`);
  const neededBytes = snapshotSizeBytes(database);
  try {
    const free = freeBytes(dataFolder);
    if (free < neededBytes) throw new Error(`${free} bytes are free`);
    takeDatabaseSnapshot(database, fresh);
    syncFile(fresh);
    renameSync(fresh, join(dataFolder, name));
    syncFolderAtStart(dataFolder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError(
      `The database was not upgraded, because the copy that an upgrade begins with cannot be made: ${reason}. It takes ${neededBytes} bytes in ${dataFolder}.`,
      { cause: error },
    );
  }
  removeOlder(dataFolder, name);
}

function removeOlder(dataFolder: string, newest: string): void {
  readdirSync(dataFolder)
    .filter((name) => name.startsWith(PREFIX) && name !== newest)
    .map((name) => ({ path: join(dataFolder, name), at: statSync(join(dataFolder, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at)
    .slice(KEPT - 1)
    .forEach(({ path }) => rmSync(path, { force: true }));
}

function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function readFreeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
