import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";

/** SQLite's own way to use a file without locks. */
const WITHOUT_LOCKS = process.platform === "win32" ? "win32-none" : "unix-none";

/** Folders of drives without locks or fsync, such as NFS without lockd, SMB and 9p. */
const bareFolders = new Set<string>();

/**
 * Opens a database that no other process can open until it is closed. The system drops the lock
 * when the process ends for any reason. Without a schema it is only read, also on a disk that cannot be
 * written. On a drive that gives no locks to anybody it says so and goes on without.
 *
 * @throws {CommandError} if another process has it
 */
export function openExclusively(path: string, schema: string | null): DatabaseSync {
  const folder = resolve(dirname(path));
  if (bareFolders.has(folder)) return open(path, schema, { isBare: true });
  try {
    return open(path, schema);
  } catch (cause) {
    if (refusesNewFile(folder)) {
      bareFolders.add(folder);
      console.error(
        `${folder} is on a drive without locks or fsync. Let no second vodkeep write there, and verify after a power cut.`,
      );
      return open(path, schema, { isBare: true });
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    const sentence = /locked/.test(reason)
      ? `Another vodkeep process is at work on it (${path}).`
      : `${path} cannot be used: ${reason}.`;
    throw new CommandError(EXIT_CODES.failed, sentence, { cause });
  }
}

function open(path: string, schema: string | null, { isBare = false } = {}): DatabaseSync {
  const url = pathToFileURL(path);
  if (isBare) url.searchParams.set("vfs", WITHOUT_LOCKS);
  const database = new DatabaseSync(url, { readOnly: schema === null });
  try {
    if (isBare) database.exec("PRAGMA synchronous = OFF");
    if (schema === null) database.exec("SELECT 1 FROM sqlite_schema");
    else database.exec(`PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ${schema}; COMMIT`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Whether not even a file that nobody else knows can be locked and synced. */
function refusesNewFile(folder: string): boolean {
  const path = join(folder, `.vodkeep-${randomUUID()}.lock`);
  try {
    open(path, "CREATE TABLE tried (id)").close();
    return false;
  } catch (error) {
    // In a folder that is full or cannot be written nothing is known.
    return error instanceof Error && /locked|locking|disk I\/O/.test(error.message);
  } finally {
    for (const suffix of ["", "-journal"]) rmSync(path + suffix, { force: true });
  }
}

/** Keeps other processes from writing the file at `path`. */
export function lockFile(path: string): { readonly release: () => void } {
  const lockPath = `${path}.lock`;
  const database = openExclusively(lockPath, "CREATE TABLE IF NOT EXISTS lock (id)");
  return {
    release() {
      rmSync(lockPath, { force: true });
      database.close();
    },
  };
}
