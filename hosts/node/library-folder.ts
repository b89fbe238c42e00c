import { constants, createReadStream, createWriteStream, type Stats } from "node:fs";
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  utimes,
} from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import * as z from "zod/mini";
import type { ObjectKey } from "#contract/files.ts";
import { parseJson } from "#service/parse-json.ts";
import {
  type FileMark,
  type LibraryFolder,
  NeedsCopies,
  type Placing,
} from "#service/ports/library-folder.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { fileErrorCode, ignoreFixedTimes, withStoreErrors } from "./file-error.ts";
import { statIfThere } from "./folder-store/folder-head.ts";
import { removeEmptyParents } from "./folder-store/folder-layout.ts";
import { syncFolder } from "./sync-folder.ts";

const MARK = "vodkeep-library.json";
/** Files that have no name yet. Without endings, so that no media server lists them. */
const FRESH = ".vodkeep-new";

/** Whoever may see the folder may read: media servers run as other users. */
const FOLDER_MODE = 0o755;
/** A hard link is the archive itself, so that nobody may write to it. */
const OBJECT_MODE = 0o444;
const SMALL_MODE = 0o644;

const WRITING = "Writing to the library folder";

const ownerSchema = z.object({ deploymentId: z.string() });

/** `objects` is the folder of the store (folder-store). */
export function openLibraryFolder(
  root: string,
  { objects, mayCopy }: { readonly objects: string; readonly mayCopy: boolean },
): LibraryFolder {
  /** `write` makes a new file at the path that it is given. */
  async function prepare(
    path: string,
    made: FileMark | null,
    isRight: (there: Stats) => boolean | Promise<boolean>,
    write: (fresh: string) => Promise<void>,
  ): Promise<Placing> {
    const target = join(root, path);
    const there = await statIfThere(target);
    // Null, too, for one that may never have had its name.
    const own = made?.replaces === null ? null : made;
    if (there === null && own !== null) return { outcome: "removed", mark: own };
    if (there !== null) {
      if (await isRight(there)) return { outcome: "kept", mark: markOf(there) };
      if (made === null || !isAsMade(there, made))
        return own === null ? { outcome: "taken" } : { outcome: "edited", mark: own };
    }
    const fresh = await makeFresh(write);
    return {
      outcome: "ready",
      mark: { ...markOf(await lstat(fresh)), replaces: there && markOf(there) },
      name: () =>
        withStoreErrors(WRITING, async () =>
          (await name(fresh, target, there !== null))
            ? { outcome: "kept", mark: markOf(await lstat(target)) }
            : { outcome: "taken" },
        ),
    };
  }

  /** The path of a new file that has no name yet. */
  async function makeFresh(write: (fresh: string) => Promise<void>): Promise<string> {
    const fresh = join(root, FRESH, randomUUID());
    await makeFolder(dirname(fresh));
    try {
      await write(fresh);
      return fresh;
    } catch (error) {
      await rm(fresh, { force: true });
      throw error;
    }
  }

  /** False if another file has the name. */
  async function name(fresh: string, target: string, mayReplace: boolean): Promise<boolean> {
    try {
      await makeFolder(dirname(target));
      if (mayReplace) await rename(fresh, target);
      else if (!(await publish(fresh, target))) return false;
    } finally {
      await rm(fresh, { force: true });
    }
    await syncFolder(dirname(target));
    return true;
  }

  /** Each new folder is synced into its parent. Never makes the root, whose disk may be away. */
  async function makeFolder(folder: string): Promise<void> {
    if (folder.length <= root.length) return;
    try {
      await mkdir(folder);
    } catch (error) {
      const code = fileErrorCode(error);
      if (code === "EEXIST") return;
      if (code !== "ENOENT") throw error;
      await makeFolder(dirname(folder));
      await mkdir(folder);
    }
    await chmod(folder, FOLDER_MODE).catch(ignoreFixedTimes);
    await syncFolder(dirname(folder));
  }

  async function give(source: string, stats: Stats, fresh: string, signal: AbortSignal) {
    if (await isDone(copyFile(source, fresh, constants.COPYFILE_FICLONE_FORCE))) {
      await utimes(fresh, stats.atime, stats.mtime).catch(ignoreFixedTimes);
      // Synced like one.
      await syncFolder(fresh);
    } else if (!(await isDone(link(source, fresh)))) {
      if (!mayCopy) throw new NeedsCopies(`${root} is not on the disk of the stored files`);
      await pipeline(createReadStream(source), createWriteStream(fresh, { flush: true }), {
        signal,
      });
      await utimes(fresh, stats.atime, stats.mtime).catch(ignoreFixedTimes);
    }
    await chmod(fresh, OBJECT_MODE).catch(ignoreFixedTimes);
  }

  return {
    path: root,
    open: (deploymentId, isNew) =>
      withStoreErrors(`Opening ${root}`, async () => {
        const path = join(root, MARK);
        const text = await readFile(path, "utf8").catch((error: unknown) => {
          const code = fileErrorCode(error);
          if (code === "ENOENT" || code === "ENOTDIR") return null;
          throw error;
        });
        if (text === null) {
          if (!isNew)
            throw new StoreError(
              "unmarked",
              `The library folder ${root} has no ${MARK}. Mount its disk, and work goes on by itself. If it was emptied or is a new one, rebuild it`,
            );
          if ((await mkdir(root, { recursive: true })) !== undefined)
            await chmod(root, FOLDER_MODE);
          const owner = `${JSON.stringify({ deploymentId })}\n`;
          await name(await makeFresh((fresh) => writeSmall(fresh, owner)), path, false);
        } else if (parseJson(ownerSchema, text)?.deploymentId !== deploymentId)
          throw new StoreError(
            "foreign",
            `The library folder ${root} belongs to another Vodkeep: give this one a folder of its own, or remove ${MARK} there`,
          );
        await rm(join(root, FRESH), { recursive: true, force: true });
      }),
    place: (key: ObjectKey, path, made, signal) =>
      withStoreErrors(WRITING, async () => {
        const source = join(objects, key);
        const stats = await statIfThere(source);
        if (stats === null) throw new StoreError("invalid", "The stored file is missing.");
        return await prepare(
          path,
          made,
          (there) =>
            (there.ino === stats.ino && there.dev === stats.dev) || isAsMade(there, markOf(stats)),
          (fresh) => give(source, stats, fresh, signal),
        );
      }),
    write: (path, content, made) =>
      withStoreErrors(WRITING, () =>
        prepare(
          path,
          made,
          async ({ size }) =>
            size === Buffer.byteLength(content) &&
            Buffer.from(content).equals(await readFile(join(root, path))),
          (fresh) => writeSmall(fresh, content),
        ),
      ),
    remove: (path, made) =>
      withStoreErrors("Removing from the library folder", async () => {
        const target = join(root, path);
        const there = await statIfThere(target);
        if (there !== null) {
          if (!isAsMade(there, made)) return;
          await rm(target);
          await syncFolder(dirname(target));
        }
        await removeEmptyParents({ root }, target);
      }),
  };
}

/** False where the file system cannot do it; throws if only this file could not be made. */
async function isDone(making: Promise<void>): Promise<boolean> {
  try {
    await making;
    return true;
  } catch (error) {
    const code = fileErrorCode(error) ?? "";
    if (["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EIO", "ENOENT"].includes(code)) throw error;
    return false;
  }
}

/** Names a new file. False if another one has the name. */
async function publish(fresh: string, target: string): Promise<boolean> {
  try {
    await link(fresh, target);
    return true;
  } catch (error) {
    const code = fileErrorCode(error) ?? "";
    if (code === "EEXIST") return false;
    if (!["EPERM", "ENOTSUP", "ENOSYS", "EMLINK"].includes(code)) throw error;
  }
  // Without hard links there is no way to rename that replaces nothing.
  if ((await statIfThere(target)) !== null) return false;
  await rename(fresh, target);
  return true;
}

async function writeSmall(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, "wx", SMALL_MODE);
  try {
    await file.writeFile(content);
    await file.chmod(SMALL_MODE).catch(ignoreFixedTimes);
    await file.sync();
  } finally {
    await file.close();
  }
}

function markOf({ size, mtimeMs }: Stats): FileMark {
  return { sizeBytes: size, modifiedMs: Math.round(mtimeMs) };
}

function isAsMade(there: Stats, { replaces, ...made }: FileMark): boolean {
  const { sizeBytes, modifiedMs } = markOf(there);
  if (sizeBytes === made.sizeBytes && modifiedMs === made.modifiedMs) return true;
  return replaces !== undefined && replaces !== null && isAsMade(there, replaces);
}
