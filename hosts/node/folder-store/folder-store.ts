import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { randomUUID } from "node:crypto";
import type { ObjectKey } from "#contract/files.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Digests } from "#service/ports/digests.ts";
import type {
  ByteRange,
  ObjectHead,
  ObjectStore,
  PutOptions,
} from "#service/ports/object-store.ts";
import { fileErrorCode, ignoreFixedTimes, withStoreErrors } from "../file-error.ts";
import { createKeyLock } from "../key-lock.ts";
import { syncFolder } from "../sync-folder.ts";
import { writeBytes } from "../write-bytes.ts";
import { streamFile } from "./file-stream.ts";
import { buildVersion, nextModifiedAtMs, readHead, statIfThere, writeHead } from "./folder-head.ts";
import {
  type FolderLayout,
  headPath,
  makeParentFolder,
  objectPath,
  openFolderLayout,
  refuseLinkedFolder,
  removeEmptyParents,
} from "./folder-layout.ts";
import { listKeys } from "./folder-listing.ts";
import { createFolderMultiparts, removeEndedUploads } from "./folder-multipart.ts";
import { READ } from "./open-flags.ts";

/** Objects a page of a listing, as R2 and S3 do. */
const PAGE_SIZE = 1_000;

/** Heads read at a time for a listing; the runtime has four threads for files. */
const HEADS_AT_A_TIME = 16;

export type FolderStore = ObjectStore & {
  /** Waits for writes in progress and closes files. Nothing is lost when this is never called. */
  close(): Promise<void>;
};

type FolderStoreOptions = {
  readonly root: string;
  readonly digests: Digests;
  readonly clock: Clock;
  /** For looking at it, also beside the process that uses it. */
  readonly onlyReads?: boolean;
};

/**
 * An object store in a folder; one process at a time. Objects appear whole or not at all and
 * survive a power cut once the promise has settled. Unlike R2, a key cannot be both an object and
 * the beginning of another (`a` and `a/b`), and each segment has at most 240 characters.
 */
export async function openFolderStore(options: FolderStoreOptions): Promise<FolderStore> {
  const { root, digests, clock, onlyReads = false } = options;
  const layout = await withStoreErrors(root, () => openFolderLayout(root, onlyReads));
  if (!onlyReads) await removeEndedUploads(layout);
  const locked = createKeyLock();

  /** Syncs the file and moves it, with its head, to where `key` says. */
  async function publish(
    file: FileHandle,
    freshPath: string,
    key: ObjectKey,
    tag: string,
    putOptions: PutOptions,
  ): Promise<ObjectHead> {
    return locked(key, async () => {
      const path = objectPath(layout, key);
      await refuseLinkedFolder(layout, path);
      const modifiedAtMs = await nextModifiedAtMs(path, clock.now());
      await file.utimes(modifiedAtMs / 1000, modifiedAtMs / 1000).catch(ignoreFixedTimes);
      await file.sync();
      const stats = await file.stat();
      const version = buildVersion(stats.size, Math.round(stats.mtimeMs), tag, putOptions);
      await inParentFolder(layout, path, async () => {
        await writeHead(layout, path, version, randomUUID());
        await rename(freshPath, path);
      });
      await syncFolder(dirname(path));
      return readHead(key, path, stats);
    });
  }

  const multiparts = createFolderMultiparts(layout, digests, publish);

  async function head(key: ObjectKey): Promise<ObjectHead | null> {
    await refuseLinkedFolder(layout, objectPath(layout, key));
    return await headOfListed(key);
  }

  async function headOfListed(key: ObjectKey): Promise<ObjectHead | null> {
    const path = objectPath(layout, key);
    const stats = await statIfThere(path);
    return stats === null ? null : readHead(key, path, stats);
  }

  async function put(
    key: ObjectKey,
    body: Uint8Array,
    putOptions: PutOptions,
  ): Promise<ObjectHead> {
    objectPath(layout, key);
    const freshPath = join(layout.fresh, randomUUID());
    await makeParentFolder(layout, freshPath);
    const file = await open(freshPath, "wx+");
    try {
      await writeBytes(file, 0, body);
      return await publish(file, freshPath, key, await digests.sha256(body), putOptions);
    } catch (error) {
      await unlink(freshPath).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
  }

  async function get(key: ObjectKey, range: ByteRange | undefined) {
    const path = objectPath(layout, key);
    await refuseLinkedFolder(layout, path);
    const file = await open(path, READ).catch((error: unknown) => {
      const code = fileErrorCode(error);
      if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return null;
      throw error;
    });
    if (file === null) return null;
    try {
      const stats = await file.stat();
      if (!stats.isFile()) {
        await file.close();
        return null;
      }
      const found = await readHead(key, path, stats);
      const start = Math.min(range?.offset ?? 0, stats.size);
      const end = Math.min(start + (range?.length ?? stats.size), stats.size);
      return { head: found, body: streamFile(file, start, end) };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async function list(prefix: string, after: string) {
    const keys: ObjectKey[] = [];
    let isMore = false;
    for await (const key of listKeys(layout.root, prefix, after)) {
      if (keys.length === PAGE_SIZE) {
        isMore = true;
        break;
      }
      keys.push(key);
    }
    const objects: ObjectHead[] = [];
    for (let from = 0; from < keys.length; from += HEADS_AT_A_TIME) {
      const heads = await Promise.all(keys.slice(from, from + HEADS_AT_A_TIME).map(headOfListed));
      // Null: deleted since the folder was read.
      objects.push(...heads.filter((each) => each !== null));
    }
    return { objects, cursor: isMore ? (keys.at(-1) ?? null) : null };
  }

  async function remove(key: ObjectKey): Promise<void> {
    const path = objectPath(layout, key);
    await locked(key, async () => {
      await refuseLinkedFolder(layout, path);
      if ((await statIfThere(path)) === null) return;
      await unlink(path);
      await unlink(headPath(path)).catch(() => undefined);
      await syncUnlessRemoved(dirname(path));
      await removeEmptyParents(layout, path);
    });
  }

  return {
    partTagAlgorithm: "sha-256",
    name: "DATA_DIR/objects",
    put: (key, body, putOptions) =>
      withStoreErrors("Writing an object", () => put(key, body, putOptions)),
    get: (key, range) => withStoreErrors("Reading an object", () => get(key, range)),
    head: (key) => withStoreErrors("Looking up an object", () => head(key)),
    list: ({ prefix = "", cursor = "" }) =>
      withStoreErrors("Listing objects", () => list(prefix, cursor)),
    delete: (key) => withStoreErrors("Deleting an object", () => remove(key)),
    createMultipart: (key, putOptions) =>
      withStoreErrors("Starting an upload", async () => {
        objectPath(layout, key);
        const handle = { key, multipartId: randomUUID() };
        await multiparts.create(handle, putOptions, clock.now());
        return handle;
      }),
    uploadPart: (handle, partNumber, bytes, digest = null) =>
      withStoreErrors("Writing a part", () =>
        multiparts.uploadPart(handle, partNumber, bytes, digest),
      ),
    completeMultipart: (handle, parts) =>
      withStoreErrors("Completing an upload", () => multiparts.complete(handle, parts)),
    abortMultipart: (handle) =>
      withStoreErrors("Aborting an upload", () => multiparts.abort(handle)),
    listMultiparts: () => withStoreErrors("Listing uploads", () => multiparts.list()),
    close: () => multiparts.close(),
  };
}

/** A concurrent deletion of the folder's last object may have removed the folder. */
async function syncUnlessRemoved(folder: string): Promise<void> {
  await syncFolder(folder).catch((error: unknown) => {
    if (fileErrorCode(error) !== "ENOENT") throw error;
  });
}

/** Deleting a neighbour may remove the folder between its making and its use: then once more. */
async function inParentFolder(
  layout: FolderLayout,
  path: string,
  run: () => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await makeParentFolder(layout, path);
    try {
      await run();
      return;
    } catch (error) {
      if (fileErrorCode(error) !== "ENOENT" || attempt === 5) throw error;
    }
  }
}
