import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { StoreError, type StoredPart } from "#service/ports/object-store.ts";
import type { PartLedger, PartRecord } from "./folder-part-ledger.ts";
import { type FolderUpload, withPartFile } from "./folder-upload.ts";
import { CREATE } from "./open-flags.ts";
import { writeFully } from "./write-fully.ts";

/** R2's minimum for every part but the last (developers.cloudflare.com/r2/platform/limits). */
const MIN_PART_BYTES = 5 * 1024 * 1024;

/** Copy size when the content is assembled from pieces. */
const COPY_BYTES = 1024 * 1024;

/**
 * The recorded parts that `parts` names, in order.
 * @throws {StoreError} `bad_part` when one is missing, has another tag, or breaks R2's size rules.
 */
export function matchParts(
  ledger: PartLedger,
  parts: readonly StoredPart[],
): readonly PartRecord[] {
  if (parts.length === 0) throw new StoreError("bad_part", "An object needs at least one part");
  const records = parts.map((part, index) => {
    const record = ledger.parts.get(part.partNumber);
    if (part.partNumber !== index + 1)
      throw new StoreError("bad_part", `Part ${index + 1} is missing or out of order`);
    if (record === undefined || record.tag !== part.tag)
      throw new StoreError("bad_part", `Part ${part.partNumber} is not the one that is stored`);
    return record;
  });
  const [first, ...others] = records;
  for (const [index, record] of others.entries()) {
    const isLast = index === others.length - 1;
    const fits = first !== undefined && record.sizeBytes <= first.sizeBytes;
    if (!fits || (!isLast && record.sizeBytes !== first.sizeBytes))
      throw new StoreError("bad_part", `Part ${record.partNumber} differs in size from part 1`);
  }
  if (first !== undefined && others.length > 0 && first.sizeBytes < MIN_PART_BYTES)
    throw new StoreError("bad_part", `Parts but the last need ${MIN_PART_BYTES} bytes or more`);
  return records;
}

/** Like S3's: the digest of the parts' digests, a dash and the number of parts. */
export function wholeTag(records: readonly PartRecord[]): string {
  const hash = createHash("sha256");
  for (const record of records) hash.update(record.tag, "hex");
  return `${hash.digest("hex")}-${records.length}`;
}

/**
 * Runs `use` on a file that contains exactly the parts in order: the content file itself when every
 * part is already in place.
 */
export async function withWholeContent<T>(
  upload: FolderUpload,
  records: readonly PartRecord[],
  use: (file: FileHandle, path: string) => Promise<T>,
): Promise<T> {
  const partSizeBytes = records[0]?.sizeBytes ?? 0;
  const totalBytes = records.reduce((sum, record) => sum + record.sizeBytes, 0);
  const inPlace = records.every(
    (record) => record.offset === (record.partNumber - 1) * partSizeBytes,
  );
  if (inPlace) {
    // A part that was sent but not named at the end may reach beyond.
    await upload.content.truncate(totalBytes);
    return use(upload.content, upload.contentPath);
  }
  const path = join(upload.folder, "assembled");
  const file = await open(path, CREATE);
  try {
    for (const record of records)
      await withPartFile(upload, record, (from, offset) =>
        copyRange(from, offset, record.sizeBytes, file, (record.partNumber - 1) * partSizeBytes),
      );
    return await use(file, path);
  } finally {
    await file.close();
  }
}

async function copyRange(
  from: FileHandle,
  fromOffset: number,
  length: number,
  to: FileHandle,
  toOffset: number,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, length));
  for (let done = 0; done < length;) {
    const wanted = Math.min(buffer.byteLength, length - done);
    const { bytesRead } = await from.read(buffer, 0, wanted, fromOffset + done);
    if (bytesRead === 0) throw new Error("A part's file is shorter than recorded");
    await writeFully(to, buffer.subarray(0, bytesRead), toOffset + done);
    done += bytesRead;
  }
}
