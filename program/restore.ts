import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { constants, copyFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { takeDataFolder, writePrivateFile } from "#hosts/node/data-folder.ts";
import { asDatabaseError } from "#hosts/node/database-error.ts";
import { findDamage, readOrigin } from "#hosts/node/database-snapshot.ts";
import { createOutgoingFetch } from "#hosts/node/outgoing-fetch.ts";
import { readSecretKey, secretKeyOf } from "#hosts/node/secret-key.ts";
import { CREDENTIALS_FILE } from "#hosts/node/setup-files.ts";
import { DamagedBackupError, unpackBackup } from "#hosts/node/unpack-backup.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { backupTime } from "#service/backups/stored-backups.ts";
import { requireKnownSteps } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { fingerprintOf } from "#service/secrets/key-fingerprint.ts";
import { readSettings, SettingsError } from "#service/settings.ts";
import { OBJECT_PREFIXES, ownerOfKey } from "#service/storage/key-owner.ts";
import { CommandError, EXIT_CODES } from "./exit-codes.ts";
import { type Backup, findBackup } from "./found-backup.ts";
import { readSecret } from "./read-secret.ts";
import { prepareDatabase, reading, type Rows } from "./restored-database.ts";
import { withObjectStore } from "./with-object-store.ts";

const DATABASE = "vodkeep.db";

/** More names are of no use to a reader; `rebuild-index` and the scan of the store find all. */
const NAMED_OBJECTS = 5;

type Wish = {
  readonly isAgreed: boolean;
  /** Goes on without the key that the backup was sealed with. */
  readonly replacesKey: boolean;
  /** Whether a person at a terminal is asked for a key that is missing. */
  readonly asksForKey?: boolean;
};

/**
 * Says what the backup `from` would bring back and what would be missing, and with `isAgreed` puts it in
 * the place of the database in DATA_DIR, which stays beside it. `from` is "latest", the time of a
 * backup in the store, or a file. Safe to repeat.
 *
 * @throws {SettingsError} with `isAgreed` while a service uses the folder, for the database of a newer version, and for
 *   one that was sealed with another secret key
 * @throws {CommandError} if there is no such backup, or it is damaged
 */
export async function restore(
  from: string,
  { isAgreed, replacesKey, asksForKey = false }: Wish,
): Promise<void> {
  const settings = readSettings(process.env);
  // Who only looks needs no folder, and may look beside the running service.
  const folder = isAgreed
    ? takeDataFolder(settings.DATA_DIR)
    : { path: resolve(settings.DATA_DIR), release: () => undefined };
  const outgoing = createOutgoingFetch();
  const present = join(folder.path, DATABASE);
  const looks = isAgreed ? null : mkdtempSync(join(tmpdir(), "vodkeep-restore-"));
  const fresh = join(looks ?? folder.path, `${DATABASE}.restored`);
  const copy = `${present}.copy`;
  const temporary = looks === null ? [fresh, `${fresh}-wal`, `${fresh}-shm`, copy] : [looks];
  const endWatch = removeAtSignal(temporary);
  /** Null if only looking at it is no reason to make one. */
  async function findKey(sealedWith: string | null): Promise<string | null> {
    const isMissing = settings.SECRET_KEY === undefined && readSecretKey(folder) === null;
    if (asksForKey && sealedWith !== null && isMissing && process.stdin.isTTY) {
      const SECRET_KEY = await readSecret(
        `The secret key ${sealedWith}, which sealed the database`,
      );
      const key = await secretKeyOf(folder, { ...settings, SECRET_KEY }, sealedWith);
      writePrivateFile(folder, "secret-key", key);
    }
    try {
      return isAgreed || sealedWith !== null
        ? await secretKeyOf(folder, settings, sealedWith)
        : null;
    } catch (error) {
      if (isAgreed || !(error instanceof SettingsError)) throw error;
      console.log(error.message);
      return null;
    }
  }
  try {
    if (isAgreed) await removeAll(temporary);
    const look = async (objects: ObjectStore): Promise<void> => {
      const backup = await findBackup(objects, from);
      await unpack(backup, fresh);
      await reading(fresh, (restored) => report(restored, present, objects));
      const { keyFingerprint, twitchClientId } = readOrigin(fresh);
      const hasCredentials =
        settings.TWITCH_CLIENT_ID !== undefined || existsSync(join(folder.path, CREDENTIALS_FILE));
      if (twitchClientId !== null && !hasCredentials)
        console.log(
          `It used the Twitch application ${twitchClientId}: set TWITCH_CLIENT_ID and TWITCH_CLIENT_SECRET before the start.`,
        );
      const key = await findKey(replacesKey ? null : keyFingerprint);
      const isOther = key !== null && (await fingerprintOf(key)) !== keyFingerprint;
      const newKey = replacesKey && isOther ? key : null;
      const said = await prepareDatabase(fresh, present, {
        name: backup.name,
        newKey,
        objects,
      });
      for (const line of said) console.log(line);
    };
    await withObjectStore(settings, folder.path, outgoing.fetch, look, { onlyReads: !isAgreed });
    foldLog(fresh);
    if (isAgreed) await replaceDatabase(present, { copy, fresh });
    else console.log("Nothing is changed. With --yes the backup takes the database's place.");
  } finally {
    await removeAll(temporary);
    endWatch();
    await outgoing.close();
    folder.release();
  }
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { recursive: true, force: true });
}

/**
 * Puts `fresh` in the place of the database `present`, which is first copied by way of `copy`. A crash at
 * any moment leaves the one or the other, whole.
 */
async function replaceDatabase(
  present: string,
  { copy, fresh }: { readonly copy: string; readonly fresh: string },
): Promise<void> {
  const aside = `${present}.replaced-${backupTime(systemClock.now())}Z`;
  const isReplaced = existsSync(present);
  if (isReplaced) {
    foldLog(present);
    // Copied: a crash must not leave a folder without a database, which a start would make anew.
    await copyFile(present, copy, constants.COPYFILE_FICLONE);
    await rename(copy, aside);
  }
  for (const suffix of ["-wal", "-shm"])
    if (existsSync(present + suffix)) await rename(present + suffix, aside + suffix);
  await rename(fresh, present);
  if (isReplaced) console.log(`The former database is ${basename(aside)}.`);
  console.log(
    `${dirname(present)} has the backup's database. Run vodkeep rebuild-index, then start the service.`,
  );
}

/**
 * Writes what a killed service left in its log into the database: a crash before the restored one takes
 * its place must not part them. A damaged database stays as it is.
 */
function foldLog(path: string): void {
  try {
    const database = new DatabaseSync(path);
    try {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
  } catch (error) {
    if (asDatabaseError(error) === error) throw error;
  }
}

/** @throws {CommandError} unless the bytes are those that were backed up, and a sound database */
async function unpack(
  { name, body, isCompressed, sizeBytes, facts }: Backup,
  to: string,
): Promise<void> {
  const sha256 = facts?.sha256 ?? null;
  try {
    await unpackBackup(body, to, { isCompressed, sizeBytes, sha256 });
    const damage = findDamage(to);
    if (damage !== null) throw new DamagedBackupError(`SQLite finds it damaged: ${damage}.`);
  } catch (error) {
    if (!(error instanceof DamagedBackupError)) throw error;
    throw new CommandError(EXIT_CODES.mismatch, `${name} is damaged. ${error.message}`, {
      cause: error,
    });
  }
  console.log(
    `${name}: ${sha256 === null ? "without a digest to compare" : "its SHA-256 is right"}.`,
  );
}

async function report(restored: Rows, present: string, objects: ObjectStore): Promise<void> {
  const tables = await restored.all(sql`SELECT name FROM sqlite_schema WHERE name = 'migrations'`);
  if (tables.length === 0)
    throw new CommandError(EXIT_CODES.mismatch, "It is no database of Vodkeep.");
  await requireKnownSteps(restored);
  const [counts] = await restored.all(sql`SELECT (SELECT count(*) FROM uploads) AS uploads,
    (SELECT count(*) FROM files) AS files, (SELECT count(*) FROM users) AS users`);
  console.log(
    `It has ${counts?.uploads} uploads, ${counts?.files} files and ${counts?.users} users, and no sessions.`,
  );
  if (existsSync(present)) console.log(await describeLoss(restored, present));
  await compareWithStore(restored, objects);
}

/** What only the present database knows. A damaged one does not keep a backup from being restored. */
async function describeLoss(restored: Rows, present: string): Promise<string> {
  try {
    const newer = await reading(present, (database) =>
      database.all(sql`SELECT id FROM uploads WHERE status = 'completed'`),
    );
    const known = await restored.all(sql`SELECT id FROM uploads WHERE status = 'completed'`);
    const kept = new Set(known.map(({ id }) => id));
    const missing = newer.filter(({ id }) => !kept.has(id)).length;
    return `Completed since, and missing until vodkeep rebuild-index: ${missing} uploads.`;
  } catch (error) {
    return `The present database cannot be read: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

async function compareWithStore(restored: Rows, objects: ObjectStore): Promise<void> {
  const rows = await restored.all(
    sql`SELECT object_key FROM files WHERE upload_type <> 'chunk' AND status <> 'orphaned'`,
  );
  const named = new Set(rows.map(({ object_key: key }) => String(key)));
  let unnamed = 0;
  for (const prefix of OBJECT_PREFIXES) {
    let cursor: string | null = null;
    do {
      const page = await objects.list({ prefix, ...(cursor !== null && { cursor }) });
      for (const { key } of page.objects)
        if (!named.delete(key) && ownerOfKey(key)?.isSidecar === false) unnamed += 1;
      ({ cursor } = page);
    } while (cursor !== null);
  }
  console.log(`Files in the store that it does not name: ${unnamed}.`);
  console.log(`Files that it names and the store lacks: ${named.size}.`);
  for (const key of [...named].slice(0, NAMED_OBJECTS)) console.log(`  ${key}`);
}

/** At a signal nothing is left at `paths`; then the process ends by it. Returns how to stop that. */
function removeAtSignal(paths: readonly string[]): () => void {
  function stop(): void {
    process.off("SIGTERM", end).off("SIGINT", end);
  }
  function end(signal: NodeJS.Signals): void {
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    stop();
    process.kill(process.pid, signal);
  }
  process.on("SIGTERM", end).on("SIGINT", end);
  return stop;
}
