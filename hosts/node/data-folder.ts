import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { SettingsError } from "#service/settings.ts";
import { fileErrorCode } from "./file-error.ts";
import { syncFolderAtStart } from "./sync-folder.ts";

/** The folder named by DATA_DIR, locked by this process until it ends. */
export type DataFolder = { readonly path: string; release(): void };

/** Creates files as 0600 and folders as 0700: stored data is only for this user. */
const OWNER_ONLY_UMASK = 0o077;

/**
 * Locks the folder and keeps new files private to this user. The system drops the lock when the
 * process ends for any reason, so no stale lock file must be deleted.
 *
 * @throws {SettingsError} when it cannot be used or another process has locked it.
 */
export function takeDataFolder(dataDir: string): DataFolder {
  const path = resolve(dataDir);
  process.umask(OWNER_ONLY_UMASK);
  let lock: DatabaseSync;
  try {
    makeFolder(path);
    closeToOthers(path);
    requireAccess(path);
    lock = new DatabaseSync(join(path, "lock"));
    lock.exec("PRAGMA journal_mode = MEMORY");
  } catch (error) {
    throw unusable(path, error);
  }
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    throw unusable(path, error);
  }
  return { path, release: () => lock.close() };
}

function unusable(path: string, error: unknown): SettingsError {
  if (error instanceof SettingsError) return error;
  const isLocked = error instanceof Error && /database is locked/.test(error.message);
  return new SettingsError(
    isLocked
      ? `DATA_DIR ${path} is in use by another Vodkeep process; stop it or choose another folder.`
      : `DATA_DIR ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
    { cause: error },
  );
}

/**
 * Creates the folder and its parents durably. Does not use `recursive`, which loops forever where a
 * folder exists and cannot contain others, such as /proc.
 */
function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    mkdirSync(path);
  }
  try {
    syncFolderAtStart(dirname(path));
  } catch (error) {
    // The user may be allowed to create a folder in the parent but not to read the parent.
    if (fileErrorCode(error) !== "EACCES") throw error;
  }
}

/** What another user may have left, for example by restoring a backup. */
const OWN_ENTRIES = [
  ".",
  "lock",
  "vodkeep.db",
  "secret-key",
  "twitch-credentials",
  "reserve",
  "objects",
];

/** @throws {SettingsError} that names what this process may not use, and its owner */
function requireAccess(path: string): void {
  for (const entry of OWN_ENTRIES.map((name) => join(path, name))) {
    if (!existsSync(entry)) continue;
    try {
      accessSync(entry, constants.R_OK | constants.W_OK);
    } catch (error) {
      if (fileErrorCode(error) !== "EACCES") throw error;
      throw new SettingsError(
        `DATA_DIR: ${entry} belongs to user ${statSync(entry).uid}, and user ${process.getuid?.()}, who runs Vodkeep, may not read and write it. Change its owner: chown -R.`,
        { cause: error },
      );
    }
  }
}

function closeToOthers(path: string): void {
  const { mode } = statSync(path);
  if ((mode & OWNER_ONLY_UMASK) === 0) return;
  try {
    chmodSync(path, mode & ~OWNER_ONLY_UMASK);
  } catch (error) {
    // Only the owner may change the mode: a folder provided by others keeps its permissions.
    if (fileErrorCode(error) !== "EPERM") throw error;
  }
}

/** Writes one line readable by its owner only, and renames it into place once it is on disk. */
export function writePrivateFile(
  folder: Pick<DataFolder, "path">,
  name: string,
  line: string,
): string {
  const path = join(folder.path, name);
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, `${line}\n`, { mode: 0o600, flag: "wx", flush: true });
  renameSync(fresh, path);
  syncFolderAtStart(folder.path);
  return path;
}
