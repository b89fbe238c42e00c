import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import { fileErrorCode } from "../file-error.ts";
import { KEY_NAME } from "./folder-layout.ts";

/**
 * Lists keys in ascending order that begin with `prefix` and follow `after`. Reads only folders
 * that can contain such keys: the cost of a page depends on the page, not on the whole store.
 * `folderKey` is the beginning of the keys in `folder`.
 */
export async function* listKeys(
  folder: string,
  prefix: string,
  after: string,
  folderKey = "",
): AsyncGenerator<ObjectKey> {
  for (const { key, isFolder, name } of await readEntries(folder, folderKey)) {
    if (isFolder) {
      const mayMatch = key.startsWith(prefix) || prefix.startsWith(key);
      const mayFollow = key > after || after.startsWith(key);
      if (mayMatch && mayFollow) yield* listKeys(join(folder, name), prefix, after, key);
    } else if (key > after && key.startsWith(prefix)) {
      const parsed = objectKeySchema.safeParse(key);
      if (parsed.success) yield parsed.data;
    }
  }
}

type Entry = { readonly key: string; readonly name: string; readonly isFolder: boolean };

/** A folder's key ends with a slash, so that it sorts correctly among the files beside it. */
async function readEntries(folder: string, folderKey: string): Promise<readonly Entry[]> {
  return (await readFolder(folder))
    .filter((entry) => KEY_NAME.test(entry.name) && (entry.isFile() || entry.isDirectory()))
    .map((entry) => ({
      key: folderKey + entry.name + (entry.isDirectory() ? "/" : ""),
      name: entry.name,
      isFolder: entry.isDirectory(),
    }))
    .sort((left, right) => (left.key < right.key ? -1 : 1));
}

async function readFolder(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // Emptied and removed since its parent was read.
    if (fileErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}
