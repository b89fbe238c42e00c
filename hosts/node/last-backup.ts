import { stat } from "node:fs/promises";
import { join } from "node:path";
import { fileErrorCode } from "./file-error.ts";

/** Beside the data; every backup touches it at its end. */
export const LAST_BACKUP_FILE = "last-backup";

/** Null if there was none. */
export async function readLastBackup(dataFolder: string): Promise<Date | null> {
  try {
    return (await stat(join(dataFolder, LAST_BACKUP_FILE))).mtime;
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}
