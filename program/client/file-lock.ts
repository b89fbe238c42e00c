import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";

/**
 * Opens a database that no other process can open until it is closed. The system drops the lock
 * when the process ends for any reason. Without a schema it is only read, also on a disk that cannot be
 * written.
 *
 * @throws {CommandError} if another process has it
 */
export function openExclusively(path: string, schema: string | null): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: schema === null });
    if (schema === null) database.exec("SELECT 1 FROM sqlite_schema");
    else database.exec(`PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ${schema}; COMMIT`);
    return database;
  } catch (cause) {
    database?.close();
    const reason = cause instanceof Error ? cause.message : String(cause);
    const sentence = /locked/.test(reason)
      ? `Another vodkeep process is at work on it (${path}).`
      : `${path} cannot be used: ${reason}.`;
    throw new CommandError(EXIT_CODES.failed, sentence, { cause });
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
