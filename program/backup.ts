import { existsSync } from "node:fs";
import {
  constants,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import process from "node:process";
import { takeDatabaseSnapshot } from "#hosts/node/database-snapshot.ts";
import { fileErrorCode, ignoreFixedTimes } from "#hosts/node/file-error.ts";
import { noteBackup } from "#hosts/node/last-backup.ts";
import { objectKeySchema } from "#contract/files.ts";
import { decodeProof, manifestKeyOf } from "#service/proof/proved-parts.ts";
import { readSettings } from "#service/settings.ts";
import { isRight, type Proof } from "./client/proof.ts";
import { CommandError, EXIT_CODES } from "./exit-codes.ts";

/*
 * Copies DATA_DIR while the service runs: first a snapshot of the database without its sessions,
 * then the objects. Each object named in the database is thus copied unless it was deleted
 * meanwhile. A second run into the same folder copies only what is new; if it fails, the earlier
 * backup remains. A new object is compared with what its manifest proves: of one that differs, the
 * backup keeps the earlier copy, if there is one. To restore, start the service with `DATA_DIR` set to the copy.
 */
const DATABASE = "vodkeep.db";

/** Of DATA_DIR, beside the database. All else is made anew, or is for this machine and start only. */
const COPIED = ["secret-key", "twitch-credentials", "objects"];

/** The coarsest times of a file system: those of FAT. */
const TIME_STEP_MS = 2_000;

/**
 * Backs DATA_DIR up into the folder `to`.
 * @throws {CommandError} mismatch, after everything else was copied, if an object differs
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
  const tally: Tally = { copied: 0, differing: [] };
  for (const name of COPIED) await copyNew(source, name, target, tally);
  await publishSnapshot(snapshot, target);
  await tryToNote(source);
  console.log(`Backed up to ${target}: the database and ${tally.copied} new files.`);
  if (tally.differing.length === 0) return;
  throw new CommandError(
    EXIT_CODES.mismatch,
    `Not copied, because they are not what was proved when they were stored: ${tally.differing.join(", ")}. ` +
      "Earlier copies of them stay. Verify these files in the console.",
  );
}

type Tally = {
  /** New and changed files. */
  copied: number;
  /** Objects whose bytes are not those of their manifests. */
  readonly differing: string[];
};

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

/**
 * Copies the file `name` in `source`, or the files of that folder. Only the entries of DATA_DIR may
 * be links, as `objects` often is; the service follows no others either.
 */
async function copyNew(source: string, name: string, target: string, tally: Tally): Promise<void> {
  const [from, destination] = [join(source, name), join(target, name)];
  try {
    const there = dirname(name) === "." ? await stat(from) : await lstat(from);
    if (there.isDirectory()) {
      for (const entry of await readdir(from))
        await copyNew(source, join(name, entry), target, tally);
      return;
    }
    if (!there.isFile()) return;
    const here = await stat(destination).catch(() => null);
    const apartMs = Math.abs((here?.mtimeMs ?? Infinity) - there.mtimeMs);
    if (here?.size === there.size && apartMs <= TIME_STEP_MS) return;
    await mkdir(dirname(destination), { recursive: true });
    const fresh = `${destination}.new`;
    const proof = await readProof(source, name);
    if (!(await copyProved(from, fresh, proof)) && !(await copyProved(from, fresh, proof))) {
      await rm(fresh);
      tally.differing.push(from);
      return;
    }
    await utimes(fresh, there.atime, there.mtime).catch(ignoreFixedTimes);
    await rename(fresh, destination);
    tally.copied += 1;
  } catch (error) {
    // Deleted after it was listed.
    if (fileErrorCode(error) !== "ENOENT") throw error;
  }
}

/** What the manifest of an object proves; null for other files. */
async function readProof(source: string, name: string): Promise<Proof | null> {
  const [folder, ...segments] = name.split(sep);
  const key = objectKeySchema.safeParse(segments.join("/"));
  const manifest = folder === "objects" && key.success ? manifestKeyOf(key.data) : null;
  if (manifest === null) return null;
  try {
    return decodeProof(await readFile(join(source, folder ?? "", manifest)));
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Resolves with whether the copy holds what was proved. */
async function copyProved(from: string, to: string, proof: Proof | null): Promise<boolean> {
  // An earlier try's may be as read-only as its object, which the library folder links.
  await rm(to, { force: true });
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  return proof === null || (await isRight(to, proof));
}
