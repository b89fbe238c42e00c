import { closeSync, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { fileErrorCode } from "./file-error.ts";

/** Makes renames and deletions in a folder survive a power cut, where the file system can. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync().catch(ignoreUnsupported);
  } finally {
    await handle.close();
  }
}

/** {@link syncFolder} before anything is served. */
export function syncFolderAtStart(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } catch (error) {
    ignoreUnsupported(error);
  } finally {
    closeSync(handle);
  }
}

/** The answer of file systems that do not sync, such as those of SMB shares, which sync no folders. */
export function ignoreUnsupported(error: unknown): void {
  const code = fileErrorCode(error);
  if (code !== "EINVAL" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
}
