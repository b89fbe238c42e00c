import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  StoreError,
  type MultipartHandle,
  type ObjectHead,
  type PutOptions,
  type StoredPart,
} from "#service/ports/object-store.ts";
import type { ByteThreads } from "../byte-threads.ts";
import { countWhole, matchParts, wholeTag, withWholeContent } from "./folder-assembly.ts";
import { type FolderLayout, syncFolder } from "./folder-layout.ts";
import type { PartRecord } from "./folder-part-ledger.ts";
import { CREATE } from "./open-flags.ts";
import {
  type FolderUpload,
  describeUpload,
  noSuchUpload,
  openUpload,
  ownFilePath,
  readDescription,
} from "./folder-upload.ts";

/**
 * Multipart uploads of the folder store.
 *
 * Parts are written where they will stand in the finished object, so that completing copies
 * nothing: part n begins at (n - 1) x part size, the part size being that of the first part
 * received. A larger part can only mean that the first one received was the short last one; it
 * then gets a file of its own, and completing puts the content together from the pieces.
 *
 * A part's tag is the SHA-256 of what the file holds: the bytes are read back after writing. Where
 * the sender names the digest of what it sent, they are compared with that instead of hashed again.
 */
export type FolderMultiparts = {
  create(handle: MultipartHandle, options: PutOptions, startedAtMs: number): Promise<void>;
  uploadPart(
    handle: MultipartHandle,
    partNumber: number,
    bytes: Uint8Array,
    digest: string | null,
  ): Promise<StoredPart>;
  /** Resolves when these parts are on the disk. */
  syncParts(handle: MultipartHandle, parts: readonly StoredPart[]): Promise<void>;
  /** How many of `parts`, from the first on, the folder holds; doubtful ones are read again. */
  countHeld(handle: MultipartHandle, parts: readonly StoredPart[]): Promise<number>;
  complete(handle: MultipartHandle, parts: readonly StoredPart[]): Promise<ObjectHead>;
  abort(handle: MultipartHandle): Promise<void>;
  list(): Promise<readonly (MultipartHandle & { startedAt: Date })[]>;
  close(): Promise<void>;
};

/** Gives a finished file its place among the objects. */
export type PublishObject = (
  file: FileHandle,
  path: string,
  handle: MultipartHandle,
  tag: string,
  options: PutOptions,
) => Promise<ObjectHead>;

/** R2 takes at most this many (developers.cloudflare.com/r2/platform/limits). */
const MAX_PARTS = 10_000;

const MULTIPART_ID = /^[0-9a-f-]{36}$/;

export function newMultipartId(): string {
  return randomUUID();
}

/** Removes what a crash left of uploads that had hardly begun or were just completed. */
export async function removeEndedUploads(layout: FolderLayout): Promise<void> {
  for (const name of await readdir(layout.uploads)) {
    const folder = join(layout.uploads, name);
    if ((await readDescription(folder)) === null)
      await rm(folder, { recursive: true, force: true });
  }
}

export function createFolderMultiparts(
  layout: FolderLayout,
  threads: ByteThreads,
  publish: PublishObject,
): FolderMultiparts {
  const openUploads = new Map<string, Promise<FolderUpload>>();

  async function find(handle: MultipartHandle): Promise<FolderUpload> {
    const { multipartId } = handle;
    if (!MULTIPART_ID.test(multipartId)) throw noSuchUpload(handle);
    let opening = openUploads.get(multipartId);
    if (opening === undefined) {
      opening = openUpload(join(layout.uploads, multipartId), handle);
      openUploads.set(multipartId, opening);
      opening.catch(() => openUploads.delete(multipartId));
    }
    const upload = await opening;
    if (upload.ended || upload.key !== handle.key) throw noSuchUpload(handle);
    return upload;
  }

  /** Nobody else may use the upload from here on. */
  async function takeOver(handle: MultipartHandle): Promise<FolderUpload> {
    const upload = await find(handle);
    upload.ended = true;
    await Promise.allSettled(upload.writes.values());
    return upload;
  }

  async function remove(handle: MultipartHandle, upload: FolderUpload): Promise<void> {
    await upload.sync.quiet();
    await upload.content.close();
    openUploads.delete(handle.multipartId);
    await rm(upload.folder, { recursive: true, force: true });
  }

  async function storePart(
    upload: FolderUpload,
    partNumber: number,
    bytes: Uint8Array,
    digest: string | null,
  ): Promise<StoredPart> {
    const sizeBytes = bytes.byteLength;
    const partSizeBytes = await upload.ledger.partSizeBytes(sizeBytes);
    const offset = sizeBytes <= partSizeBytes ? (partNumber - 1) * partSizeBytes : null;
    throwIfLost(upload);
    await upload.ledger.revoke(partNumber);
    const failuresBefore = upload.sync.failures();
    const tag =
      offset === null
        ? await storeApart(upload, partNumber, bytes, digest)
        : await threads.write(upload.content.fd, offset, bytes, digest);
    if (upload.sync.failures() > failuresBefore)
      throw new StoreError("unavailable", "The disk refused bytes while this part was written");
    await upload.ledger.record({ partNumber, sizeBytes, tag, offset });
    upload.sync.start();
    return { partNumber, tag };
  }

  /** A file of its own is on the disk before its part is recorded. */
  async function storeApart(
    upload: FolderUpload,
    partNumber: number,
    bytes: Uint8Array,
    digest: string | null,
  ): Promise<string> {
    const file = await open(ownFilePath(upload, partNumber), CREATE);
    try {
      const tag = await threads.write(file.fd, 0, bytes, digest);
      await file.sync();
      await syncFolder(upload.folder);
      return tag;
    } finally {
      await file.close();
    }
  }

  return {
    async create(handle, options, startedAtMs) {
      const folder = join(layout.uploads, handle.multipartId);
      const { contentType, metadata } = options;
      await mkdir(folder);
      await describeUpload(folder, {
        key: handle.key,
        contentType,
        metadata: { ...metadata },
        startedAtMs,
      });
      await syncFolder(layout.uploads);
    },

    async uploadPart(handle, partNumber, bytes, digest) {
      if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > MAX_PARTS)
        throw new StoreError("bad_part", `Part numbers go from 1 to ${MAX_PARTS}`);
      if (bytes.byteLength === 0) throw new StoreError("bad_part", `Part ${partNumber} is empty`);
      const upload = await find(handle);
      // The same number twice at a time: one after the other, so that the last one stays.
      const before = upload.writes.get(partNumber) ?? Promise.resolve();
      const write = before
        .catch(() => undefined)
        .then(() => storePart(upload, partNumber, bytes, digest));
      upload.writes.set(partNumber, write);
      try {
        return await write;
      } finally {
        if (upload.writes.get(partNumber) === write) upload.writes.delete(partNumber);
      }
    },

    async syncParts(handle, parts) {
      const upload = await find(handle);
      await settle(upload);
      const lost = parts.find(
        ({ partNumber, tag }) => upload.ledger.parts.get(partNumber)?.tag !== tag,
      );
      if (lost !== undefined)
        throw new StoreError("parts_lost", `Part ${lost.partNumber} did not reach the disk`);
    },

    async countHeld(handle, parts) {
      const upload = await find(handle);
      const { ledger, sync } = upload;
      // Whoever asks learns by the answer what was lost.
      sync.takeFailure();
      const records: PartRecord[] = [];
      for (const { partNumber, tag } of parts) {
        const record = ledger.parts.get(partNumber);
        if (record === undefined || record.tag !== tag) break;
        records.push(record);
      }
      const held = await countWhole(upload, records, threads);
      sync.start();
      return held;
    },

    async complete(handle, parts) {
      const upload = await takeOver(handle);
      let head: ObjectHead;
      try {
        const records = matchParts(upload.ledger, parts);
        const held = await countWhole(upload, records, threads);
        if (held < records.length)
          throw new StoreError("bad_part", `Part ${held + 1} is damaged on the disk`);
        await settle(upload);
        head = await withWholeContent(upload, records, (file, path) =>
          publish(file, path, handle, wholeTag(records), upload.options),
        );
      } catch (error) {
        // Refused or failed: the parts stay, for another try or an abort.
        upload.ended = false;
        throw error;
      }
      await remove(handle, upload);
      return head;
    },

    async abort(handle) {
      try {
        await remove(handle, await takeOver(handle));
      } catch (error) {
        if (!(error instanceof StoreError) || error.kind !== "no_such_upload") throw error;
      }
    },

    async list() {
      const found: (MultipartHandle & { startedAt: Date })[] = [];
      for (const multipartId of await readdir(layout.uploads)) {
        const description = await readDescription(join(layout.uploads, multipartId));
        if (description === null) continue;
        const { key, startedAtMs } = description;
        found.push({ key, multipartId, startedAt: new Date(startedAtMs) });
      }
      return found;
    },

    async close() {
      for (const opening of openUploads.values()) {
        const upload = await opening.catch(() => null);
        if (upload === null) continue;
        await Promise.allSettled(upload.writes.values());
        await upload.sync.quiet();
        await upload.content.close();
      }
      openUploads.clear();
    },
  };
}

/** Parts that were confirmed since the last sync are gone with one that failed. */
async function settle(upload: FolderUpload): Promise<void> {
  throwIfLost(upload);
  await upload.sync.settle().catch((error: unknown) => {
    throw partsLost(error);
  });
}

function throwIfLost(upload: FolderUpload): void {
  const failure = upload.sync.takeFailure();
  if (failure !== null) throw partsLost(failure);
}

function partsLost(cause: unknown): StoreError {
  return new StoreError("parts_lost", `The disk refused: ${String(cause)}`, { cause });
}
