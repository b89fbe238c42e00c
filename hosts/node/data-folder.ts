import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
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

/** The folder named by DATA_DIR, held by this process alone until it ends. */
export type DataFolder = { readonly path: string; release(): void };

/** Leaves files 0600 and folders 0700: what is stored is for this user of the machine alone. */
const OWNER_ONLY_UMASK = 0o077;

/**
 * Takes the folder, and keeps what this process writes from other users of the machine. The lock is one that the system itself drops when the process ends, however it
 * ends: no lock file is ever left behind that somebody would have to delete.
 *
 * @throws {SettingsError} when it cannot be used or another process has it.
 */
export function takeDataFolder(dataDir: string): DataFolder {
  const path = resolve(dataDir);
  process.umask(OWNER_ONLY_UMASK);
  let lock: DatabaseSync;
  try {
    makeFolder(path);
    closeToOthers(path);
    lock = new DatabaseSync(join(path, "lock"));
    lock.exec("PRAGMA journal_mode = MEMORY");
  } catch (error) {
    throw refusal(path, error);
  }
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    throw refusal(path, error);
  }
  return { path, release: () => lock.close() };
}

function refusal(path: string, error: unknown): SettingsError {
  const isLocked = error instanceof Error && /database is locked/.test(error.message);
  return new SettingsError(
    isLocked
      ? `DATA_DIR ${path} is in use by another Vodkeep process; stop it or choose another folder.`
      : `DATA_DIR ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
    { cause: error },
  );
}

/**
 * Makes the folder and those above it, and makes them last. Not with `recursive`: that asks for ever
 * where a folder is there and takes nothing, as /proc does.
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
    syncFolder(dirname(path));
  } catch (error) {
    // Whoever may make a folder there need not be allowed to read what else is there.
    if (fileErrorCode(error) !== "EACCES") throw error;
  }
}

function closeToOthers(path: string): void {
  const { mode } = statSync(path);
  if ((mode & OWNER_ONLY_UMASK) === 0) return;
  try {
    chmodSync(path, mode & ~OWNER_ONLY_UMASK);
  } catch (error) {
    // Only its owner may: a folder that was handed to us with rights of its own keeps them.
    if (fileErrorCode(error) !== "EPERM") throw error;
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * The key that encrypts Twitch tokens, made at the first start and readable by its owner only. It
 * gets its name once the disk has all of it: what it has encrypted is lost with it.
 *
 * @throws {SettingsError} when it is there and cannot be read.
 */
export function readOrMakeSecretKey(folder: DataFolder): string {
  const path = join(folder.path, "secret-key");
  if (existsSync(path)) {
    try {
      return readFileSync(path, "utf8").trim();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new SettingsError(`The secret key ${path} cannot be read: ${reason}.`, {
        cause: error,
      });
    }
  }
  const key = randomBytes(32).toString("hex");
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, `${key}\n`, { mode: 0o600, flag: "wx", flush: true });
  renameSync(fresh, path);
  syncFolder(folder.path);
  return key;
}
