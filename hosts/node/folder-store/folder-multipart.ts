import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectKey } from "#contract/files.ts";
import type { Digests } from "#service/ports/digests.ts";
import {
  StoreError,
  type MultipartHandle,
  type ObjectHead,
  type MultipartOptions,
  type PutOptions,
  type StoredPart,
} from "#service/ports/object-store.ts";
import { writeBytes } from "../write-bytes.ts";
import { syncFolder } from "../sync-folder.ts";
import { type FolderLayout, makeParentFolder, readUploadNames } from "./folder-layout.ts";
import type { PartLedger, PartRecord } from "./folder-part-ledger.ts";
import {
  type FolderUpload,
  describeUpload,
  noSuchUpload,
  openUpload,
  readDescription,
} from "./folder-upload.ts";
import { READ_WRITE } from "./open-flags.ts";

/**
 * Multipart uploads of the folder store.
 *
 * Parts are written at their final position, so that completing copies nothing: part n begins at
 * (n - 1) x part size. That is the declared one, or the size of the first part uploaded. A larger
 * part would overwrite the next one and is refused.
 *
 * A part's tag is the SHA-256 of the written bytes. The bytes are synced before the part is
 * recorded, and the record before the part is confirmed. Each part uses a separate file descriptor:
 * Linux reports a failed write-back once to each open descriptor, so no part misses it.
 */
type FolderMultiparts = {
  create(handle: MultipartHandle, options: MultipartOptions, startedAtMs: number): Promise<void>;
  uploadPart(
    handle: MultipartHandle,
    partNumber: number,
    bytes: Uint8Array,
    digest: Promise<string> | null,
  ): Promise<StoredPart>;
  complete(handle: MultipartHandle, parts: readonly StoredPart[]): Promise<ObjectHead>;
  abort(handle: MultipartHandle): Promise<void>;
  list(): Promise<readonly (MultipartHandle & { startedAt: Date })[]>;
  close(): Promise<void>;
};

/** Moves a finished file to its key. */
type PublishObject = (
  file: FileHandle,
  path: string,
  key: ObjectKey,
  tag: string,
  options: PutOptions,
) => Promise<ObjectHead>;

/** R2's limits (developers.cloudflare.com/r2/platform/limits). */
const MAX_PARTS = 10_000;
const MIN_PART_BYTES = 5 * 1024 * 1024;

const MULTIPART_ID = /^[0-9a-f-]{36}$/;

/** Removes remains of a crash: uploads that were barely created or just completed. */
export async function removeEndedUploads(layout: FolderLayout): Promise<void> {
  for (const name of await readUploadNames(layout)) {
    const folder = join(layout.uploads, name);
    if ((await readDescription(folder)) === null)
      await rm(folder, { recursive: true, force: true });
  }
}

export function createFolderMultiparts(
  layout: FolderLayout,
  digests: Digests,
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

  /** Ends the upload for all other callers. */
  async function takeOver(handle: MultipartHandle): Promise<FolderUpload> {
    const upload = await find(handle);
    upload.ended = true;
    await Promise.allSettled(upload.writes.values());
    return upload;
  }

  async function remove(handle: MultipartHandle, upload: FolderUpload): Promise<void> {
    await upload.content.close();
    openUploads.delete(handle.multipartId);
    await rm(upload.folder, { recursive: true, force: true });
  }

  async function storePart(
    upload: FolderUpload,
    partNumber: number,
    partSizeBytes: number,
    bytes: Uint8Array,
    digest: Promise<string> | null,
  ): Promise<StoredPart> {
    const sizeBytes = bytes.byteLength;
    await upload.ledger.revoke(partNumber);
    await writeSynced(upload.contentPath, (partNumber - 1) * partSizeBytes, bytes);
    const tag = await (digest ?? digests.sha256(bytes));
    await upload.ledger.record({ partNumber, sizeBytes, tag, partSizeBytes });
    return { partNumber, tag };
  }

  return {
    async create(handle, options, startedAtMs) {
      const folder = join(layout.uploads, handle.multipartId);
      const { contentType, metadata, partSizeBytes = null } = options;
      await makeParentFolder(layout, folder);
      await mkdir(folder);
      try {
        await describeUpload(folder, {
          key: handle.key,
          contentType,
          metadata: { ...metadata },
          startedAtMs,
          partSizeBytes,
        });
        await syncFolder(layout.uploads);
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    },

    async uploadPart(handle, partNumber, bytes, digest) {
      if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > MAX_PARTS)
        throw new StoreError("bad_part", `Part numbers go from 1 to ${MAX_PARTS}`);
      if (bytes.byteLength === 0) throw new StoreError("bad_part", `Part ${partNumber} is empty`);
      const upload = await find(handle);
      const partSizeBytes = upload.ledger.partSizeBytes(bytes.byteLength);
      if (bytes.byteLength > partSizeBytes)
        throw new StoreError(
          "bad_part",
          `Part ${partNumber} has ${bytes.byteLength} bytes, more than the ${partSizeBytes} of a full part`,
        );
      // Concurrent writes of one part number run one after another, so that the last one wins.
      const before = upload.writes.get(partNumber) ?? Promise.resolve();
      const write = before
        .catch(() => undefined)
        .then(() => storePart(upload, partNumber, partSizeBytes, bytes, digest));
      upload.writes.set(partNumber, write);
      try {
        return await write;
      } finally {
        if (upload.writes.get(partNumber) === write) upload.writes.delete(partNumber);
      }
    },

    async complete(handle, parts) {
      const upload = await takeOver(handle);
      let head: ObjectHead;
      try {
        const records = matchParts(upload.ledger, parts);
        await removeUnlistedParts(upload, records);
        head = await publish(
          upload.content,
          upload.contentPath,
          upload.key,
          wholeTag(records),
          upload.options,
        );
      } catch (error) {
        // Refused or failed: the parts are kept for a retry or an abort.
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
      for (const multipartId of await readUploadNames(layout)) {
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
        await upload.content.close();
      }
      openUploads.clear();
    },
  };
}

/**
 * The recorded parts that `parts` names, in order.
 * @throws {StoreError} `bad_part` when one is missing, has another tag, or breaks R2's size rules.
 */
function matchParts(ledger: PartLedger, parts: readonly StoredPart[]): readonly PartRecord[] {
  if (parts.length === 0) throw new StoreError("bad_part", "An object needs at least one part");
  return parts.map((part, index) => {
    const record = ledger.parts.get(part.partNumber);
    if (part.partNumber !== index + 1)
      throw new StoreError("bad_part", `Part ${index + 1} is missing or out of order`);
    if (record === undefined || record.tag !== part.tag)
      throw new StoreError("bad_part", `Part ${part.partNumber} is not the one that is stored`);
    const { sizeBytes, partSizeBytes } = record;
    const isLast = index === parts.length - 1;
    if (!isLast && sizeBytes !== partSizeBytes)
      throw new StoreError(
        "bad_part",
        `Part ${part.partNumber} has ${sizeBytes} bytes, but only the last may have less than ${partSizeBytes}`,
      );
    if (!isLast && sizeBytes < MIN_PART_BYTES)
      throw new StoreError("bad_part", `Parts but the last need ${MIN_PART_BYTES} bytes or more`);
    return record;
  });
}

/** Parts that were uploaded but are not named at the end. */
async function removeUnlistedParts(
  { content, ledger }: FolderUpload,
  listed: readonly PartRecord[],
): Promise<void> {
  for (const partNumber of ledger.parts.keys())
    if (partNumber > listed.length) await ledger.revoke(partNumber);
  await content.truncate(listed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
}

/** Like S3's: the digest of the parts' digests, a dash and the number of parts. */
function wholeTag(records: readonly PartRecord[]): string {
  const hash = createHash("sha256");
  for (const record of records) hash.update(record.tag, "hex");
  return `${hash.digest("hex")}-${records.length}`;
}

async function writeSynced(path: string, offset: number, bytes: Uint8Array): Promise<void> {
  const file = await open(path, READ_WRITE);
  try {
    await writeBytes(file, offset, bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}
