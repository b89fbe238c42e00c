import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileErrorCode } from "./file-error.ts";

/** Beside the data; every backup replaces it at its end. */
const LAST_BACKUP_FILE = "last-backup";

/** Null if there was none. */
export async function readLastBackup(dataFolder: string): Promise<Date | null> {
  try {
    return (await stat(join(dataFolder, LAST_BACKUP_FILE))).mtime;
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Replaces the file: one that root's backup made belongs to root, and the service may not open it. */
export async function noteBackup(dataFolder: string): Promise<void> {
  const file = join(dataFolder, LAST_BACKUP_FILE);
  await rm(file, { force: true });
  await writeFile(file, "");
}
