import { lstat, mkdir, readdir, realpath, rm, rmdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { fileErrorCode } from "../file-error.ts";
import { syncFolder } from "../sync-folder.ts";

/**
 * Paths of the folder store. An object is the file named by its key, so that the folder can be
 * read, copied and restored with ordinary tools. Names of all other files contain a `~`, which no
 * key may contain:
 *
 *     vods/1/2/3.ts                the object
 *     vods/1/2/3.ts~head.json      its content type, tag and metadata
 *     ~uploads/<id>/               an unfinished multipart upload
 *     ~new/<id>                    a file that has no name yet
 *
 * The root may be reached by a symbolic link; links below it are never followed. The folders are made
 * by the first write: where a disk is not mounted, none is allowed (service/store/owned-store.ts), and
 * its mount point stays empty.
 */
export type FolderLayout = {
  readonly root: string;
  readonly uploads: string;
  readonly fresh: string;
};

const HEAD_SUFFIX = "~head.json";

/** Names on disk that may be part of a key. */
export const KEY_NAME = /^[A-Za-z0-9_.-]+$/;

/**
 * With `onlyReads` nothing is changed, so that a running service may use the folder.
 * @throws {StoreError} `denied` when a symbolic link replaces one of the store's own folders
 */
export async function openFolderLayout(folder: string, onlyReads = false): Promise<FolderLayout> {
  if (onlyReads) return layoutOf((await realpathIfThere(folder)) ?? folder);
  const isLink = (await lstat(folder).catch(() => null))?.isSymbolicLink() === true;
  if (!isLink) await mkdir(folder, { recursive: true });
  const root = await realpathIfThere(folder);
  if (root === null)
    throw new StoreError(
      "unavailable",
      `${folder} leads to a folder that is not there. Mount its disk, or change DATA_DIR`,
    );
  const layout = layoutOf(root);
  // Unnamed files of an earlier process belong to no object.
  await rm(layout.fresh, { recursive: true, force: true });
  if ((await lstat(layout.uploads).catch(() => null))?.isSymbolicLink() === true)
    throw linkRefused(layout.root, layout.uploads);
  await syncFolder(root);
  await syncFolder(dirname(root));
  return layout;
}

function layoutOf(root: string): FolderLayout {
  return { root, uploads: join(root, "~uploads"), fresh: join(root, "~new") };
}

/** Names of the folders of unfinished multipart uploads. */
export async function readUploadNames({ uploads }: FolderLayout): Promise<readonly string[]> {
  return (await realpathIfThere(uploads)) === null ? [] : await readdir(uploads);
}

/** @throws {StoreError} `invalid` for text that is not a key, despite its type */
export function objectPath(layout: FolderLayout, key: ObjectKey): string {
  if (!objectKeySchema.safeParse(key).success)
    throw new StoreError("invalid", `${JSON.stringify(key)} is not a valid key`);
  return join(layout.root, key);
}

/**
 * Refuses a file in a folder reached by a symbolic link, which may point outside the store.
 * @throws {StoreError} `denied`
 */
export async function refuseLinkedFolder(layout: FolderLayout, path: string): Promise<void> {
  for (let at = dirname(path); at.length > layout.root.length; at = dirname(at)) {
    const real = await realpathIfThere(at);
    if (real === at) return;
    if (real !== null) throw linkRefused(layout.root, at);
  }
}

async function realpathIfThere(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = fileErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

function linkRefused(root: string, path: string): StoreError {
  const name = relative(root, path);
  return new StoreError("denied", `${name} is, or lies behind, a symbolic link`);
}

export function headPath(path: string): string {
  return path + HEAD_SUFFIX;
}

/** Creates the folder of `path` durably: each new folder is synced into its parent. */
export async function makeParentFolder(layout: FolderLayout, path: string): Promise<void> {
  const folder = dirname(path);
  const firstCreated = await mkdir(folder, { recursive: true });
  if (firstCreated === undefined) return;
  for (let at = folder; at.length > layout.root.length; at = dirname(at)) {
    await syncFolder(dirname(at));
    if (at === firstCreated) return;
  }
}

/** Removes empty folders above `path`, up to the root. */
export async function removeEmptyParents(
  { root }: Pick<FolderLayout, "root">,
  path: string,
): Promise<void> {
  for (let at = dirname(path); at.length > root.length; at = dirname(at)) {
    try {
      await rmdir(at);
    } catch (error) {
      const code = fileErrorCode(error);
      if (code === "ENOTEMPTY" || code === "EEXIST" || code === "ENOTDIR") return;
      if (code !== "ENOENT") throw error;
    }
  }
}
