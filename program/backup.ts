import { existsSync } from "node:fs";
import {
  constants,
  copyFile,
  lstat,
  mkdir,
  readdir,
  realpath,
  rename,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import process from "node:process";
import { takeDatabaseSnapshot } from "#hosts/node/database-snapshot.ts";
import { fileErrorCode, ignoreFixedTimes } from "#hosts/node/file-error.ts";
import { LAST_BACKUP_FILE, noteBackup } from "#hosts/node/last-backup.ts";
import { readSettings } from "#service/settings.ts";
import { CommandError, EXIT_CODES } from "./exit-codes.ts";

/*
 * Copies DATA_DIR while the service runs: first a snapshot of the database without its sessions,
 * then the objects. Each object named in the database is thus copied unless it was deleted
 * meanwhile. A second run into the same folder copies only what is new; if it fails, the earlier
 * backup remains. To restore, start the service with `DATA_DIR` set to the copy.
 */
const DATABASE = "vodkeep.db";

/** The coarsest times of a file system: those of FAT. */
const TIME_STEP_MS = 2_000;

/**
 * Backs DATA_DIR up into the folder `to`.
 * @throws {CommandError}
 */
export async function backUp(to: string): Promise<void> {
  process.umask(0o077);
  const target = resolve(to);
  const source = resolve(readSettings(process.env).DATA_DIR);
  if (!existsSync(join(source, DATABASE)))
    throw new CommandError(EXIT_CODES.failed, `DATA_DIR ${source} has no database.`);
  await mkdir(target, { recursive: true });
  const realTarget = await realpath(target);
  for (const folder of [source, join(source, "objects")]) {
    // Without objects, they are in a bucket.
    const real = await realpath(folder).catch(() => folder);
    if (`${realTarget}${sep}`.startsWith(`${real}${sep}`))
      throw new CommandError(EXIT_CODES.failed, "--to must be outside DATA_DIR and its objects.");
  }
  const snapshot = join(target, `${DATABASE}.new`);
  takeDatabaseSnapshot(join(source, DATABASE), snapshot);
  let copied = 0;
  for (const name of await readdir(source))
    if (isCopied(name)) copied += await copyNew(join(source, name), join(target, name), true);
  await publishSnapshot(snapshot, target);
  await tryToNote(source);
  console.log(`Backed up to ${target}: the database and ${copied} new files.`);
}

/** Replaces the database of an earlier run, whose objects are all there. */
async function publishSnapshot(snapshot: string, target: string): Promise<void> {
  // SQLite would apply the log of another database to this one: here that of a service that ran on
  // the copy, and where the backup is copied over a folder, that of a service that crashed.
  await writeFile(join(target, `${DATABASE}-wal`), "");
  await rename(snapshot, join(target, DATABASE));
}

/** For the metrics of the running service; a backup that may not write here is a backup as well. */
async function tryToNote(source: string): Promise<void> {
  try {
    await noteBackup(source);
  } catch (error) {
    console.error(`The time of this backup could not be noted in ${source}: ${String(error)}`);
  }
}

function isCopied(name: string): boolean {
  return name !== "lock" && name !== LAST_BACKUP_FILE && !name.startsWith(DATABASE);
}

/**
 * Copies a file, or the files of a folder, and returns the number of new or changed ones. Only the
 * entries of DATA_DIR may be links, as `objects` often is; the service follows no others either.
 */
async function copyNew(from: string, destination: string, isTop = false): Promise<number> {
  try {
    const there = isTop ? await stat(from) : await lstat(from);
    if (there.isDirectory()) {
      let copied = 0;
      for (const name of await readdir(from))
        copied += await copyNew(join(from, name), join(destination, name));
      return copied;
    }
    if (!there.isFile()) return 0;
    const here = await stat(destination).catch(() => null);
    const apartMs = Math.abs((here?.mtimeMs ?? Infinity) - there.mtimeMs);
    if (here?.size === there.size && apartMs <= TIME_STEP_MS) return 0;
    await mkdir(dirname(destination), { recursive: true });
    const fresh = `${destination}.new`;
    await copyFile(from, fresh, constants.COPYFILE_FICLONE);
    await utimes(fresh, there.atime, there.mtime).catch(ignoreFixedTimes);
    await rename(fresh, destination);
    return 1;
  } catch (error) {
    // Deleted after it was listed.
    if (fileErrorCode(error) === "ENOENT") return 0;
    throw error;
  }
}
