import { constants, copyFile, mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { fileErrorCode } from "#hosts/node/file-error.ts";
import { readSettings } from "#service/settings.ts";
import { readCommandLine, refuse, runCommand } from "./command-line.ts";

/**
 * npm run backup -- --to FOLDER
 *
 * Copies DATA_DIR while the service runs: first a snapshot of the database, then the objects. Each
 * object named in the database is thus copied unless it was deleted meanwhile. A second run into
 * the same folder copies only what is new. To restore, start the service with `DATA_DIR` set to the
 * copy.
 */
const USAGE = "npm run backup -- --to FOLDER";

const DATABASE = "vodkeep.db";

process.umask(0o077);
const { to } = readCommandLine(USAGE, { to: { type: "string" } });
const target = resolve(to ?? refuse(USAGE, "--to must name the folder of the backup."));
await runCommand(backup);

async function backup(): Promise<void> {
  const source = resolve(readSettings(process.env).DATA_DIR);
  if (`${target}${sep}`.startsWith(`${source}${sep}`))
    refuse(USAGE, "--to must be outside DATA_DIR.");
  await mkdir(target, { recursive: true });
  await backUpDatabase(source);
  const copied = await copyFolder(source);
  console.log(`Backed up to ${target}: the database and ${copied} new files.`);
}

async function backUpDatabase(source: string): Promise<void> {
  const fresh = join(target, `${DATABASE}.new`);
  await rm(fresh, { force: true });
  const database = new DatabaseSync(join(source, DATABASE), { readOnly: true });
  try {
    database.prepare("VACUUM INTO ?").run(fresh);
  } finally {
    database.close();
  }
  // WAL files left by a service that ran on the copy do not belong to the new database.
  for (const suffix of ["-wal", "-shm"]) await rm(join(target, DATABASE + suffix), { force: true });
  await rename(fresh, join(target, DATABASE));
}

/** Copies all files but the database and the lock; returns the number of new or changed ones. */
async function copyFolder(source: string): Promise<number> {
  let copied = 0;
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    const from = join(entry.parentPath, entry.name);
    const name = relative(source, from);
    if (entry.isFile() && isCopied(name) && (await copyIfNew(from, join(target, name))))
      copied += 1;
  }
  return copied;
}

function isCopied(name: string): boolean {
  return name !== "lock" && !name.startsWith(DATABASE);
}

async function copyIfNew(from: string, destination: string): Promise<boolean> {
  try {
    const [there, here] = [await stat(from), await stat(destination).catch(() => null)];
    if (here?.size === there.size && here.mtimeMs === there.mtimeMs) return false;
    await mkdir(dirname(destination), { recursive: true });
    const fresh = `${destination}.new`;
    await copyFile(from, fresh, constants.COPYFILE_FICLONE);
    await utimes(fresh, there.atime, there.mtime);
    await rename(fresh, destination);
    return true;
  } catch (error) {
    // Deleted after it was listed.
    if (fileErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}
