import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SettingsError } from "#service/settings.ts";

/** The folder named by DATA_DIR, held by this process alone until it ends. */
export type DataFolder = { readonly path: string; release(): void };

/**
 * Takes the folder. The lock is one that the system itself drops when the process ends, however it
 * ends: no lock file is ever left behind that somebody would have to delete.
 *
 * @throws {SettingsError} when it cannot be used or another process has it.
 */
export function takeDataFolder(dataDir: string): DataFolder {
  const path = resolve(dataDir);
  let lock: DatabaseSync;
  try {
    mkdirSync(path, { recursive: true });
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

/** The key that encrypts Twitch tokens, made at the first start and readable by its owner only. */
export function readOrMakeSecretKey(folder: DataFolder): string {
  const path = join(folder.path, "secret-key");
  if (existsSync(path)) return readFileSync(path, "utf8").trim();
  const key = randomBytes(32).toString("hex");
  writeFileSync(path, `${key}\n`, { mode: 0o600, flag: "wx", flush: true });
  chmodSync(path, 0o600);
  return key;
}
