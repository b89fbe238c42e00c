import { createHash } from "node:crypto";
import type { Digests } from "#service/ports/digests.ts";
import type { ObjectHead, ObjectStore, StoredPart } from "#service/ports/object-store.ts";

/**
 * Copies one object and verifies the copy by the store's own tag. R2 computes it from the stored
 * bytes (MD5 of a simple object; of a multipart one the MD5 of its parts' MD5s), and it must match
 * the source's. Where the tag is no digest, as in the local runtime, the copy is read back.
 *
 * Objects copied earlier pass the same check and are skipped, so that no progress must be stored.
 */
export type CopyOutcome = "copied" | "was_there";

/** Read, sent and buffered at a time; R2 requires equal parts of at least 5 MiB, at most 10,000. */
const BLOCK_BYTES = 16 * 1024 * 1024;
const MAX_PARTS = 10_000;

type Stores = {
  readonly source: ObjectStore;
  readonly target: ObjectStore;
  readonly digests: Digests;
};

export async function copyObject(
  stores: Stores,
  listed: ObjectHead,
  onBytes: (bytes: number) => void,
): Promise<CopyOutcome> {
  const { source, target, digests } = stores;
  const head = await source.head(listed.key);
  if (head === null) throw new Error(`${listed.key} went while it was to be copied.`);
  const there = await target.head(head.key);
  if (there !== null && isDescribedAlike(there, head)) {
    const md5s: string[] = [];
    for await (const block of blocksOf(source, head)) {
      md5s.push(await digests.md5(block));
      onBytes(block.byteLength);
    }
    if (await isProved(stores, head, md5s)) return "was_there";
    onBytes(-head.sizeBytes);
  }
  const md5s = await send(stores, head, onBytes);
  if (!(await isProved(stores, head, md5s)))
    throw new Error(`${head.key} differs at Cloudflare after it was copied.`);
  return "copied";
}

/** Sends the object's bytes and returns the MD5 of each block. */
async function send(
  { source, target, digests }: Stores,
  head: ObjectHead,
  onBytes: (bytes: number) => void,
): Promise<readonly string[]> {
  const options = {
    contentType: typeOf(head),
    metadata: head.metadata,
  };
  const md5s: string[] = [];
  if (head.sizeBytes <= BLOCK_BYTES) {
    for await (const block of blocksOf(source, head)) {
      md5s.push(await digests.md5(block));
      await target.put(head.key, block, options);
      onBytes(block.byteLength);
    }
    return md5s;
  }
  const handle = await target.createMultipart(head.key, options);
  try {
    const parts: StoredPart[] = [];
    for await (const block of blocksOf(source, head)) {
      const md5 = await digests.md5(block);
      md5s.push(md5);
      parts.push(await target.uploadPart(handle, md5s.length, block, md5));
      onBytes(block.byteLength);
    }
    await target.completeMultipart(handle, parts);
    return md5s;
  } catch (error) {
    await target.abortMultipart(handle).catch(() => undefined);
    throw error;
  }
}

async function isProved(
  { target, digests }: Stores,
  head: ObjectHead,
  md5s: readonly string[],
): Promise<boolean> {
  const copy = await target.head(head.key);
  if (copy === null || !isDescribedAlike(copy, head)) return false;
  if (copy.tag === tagOf(head, md5s)) return true;
  const found: string[] = [];
  for await (const block of blocksOf(target, head)) found.push(await digests.md5(block));
  return found.join() === md5s.join();
}

/** The tag that R2 gives to an object of these blocks. */
function tagOf({ sizeBytes }: ObjectHead, md5s: readonly string[]): string {
  if (sizeBytes <= BLOCK_BYTES) return md5s[0] ?? "";
  const joined = createHash("md5")
    .update(Buffer.from(md5s.join(""), "hex"))
    .digest("hex");
  return `${joined}-${md5s.length}`;
}

/** The object's blocks; an empty object has one empty block. */
async function* blocksOf(store: ObjectStore, { key, sizeBytes }: ObjectHead) {
  const blockBytes = BLOCK_BYTES * Math.ceil(sizeBytes / (BLOCK_BYTES * MAX_PARTS) || 1);
  for (let offset = 0; offset < Math.max(sizeBytes, 1); offset += blockBytes) {
    const length = Math.min(blockBytes, sizeBytes - offset);
    const found = await store.get(key, { offset, length });
    const block = new Uint8Array(await new Response(found?.body).arrayBuffer());
    if (block.byteLength !== length)
      throw new Error(`${key} gave ${block.byteLength} of ${length} bytes at ${offset}.`);
    yield block;
  }
}

/** S3's protocol returns metadata names in lower case. */
function isDescribedAlike(one: ObjectHead, other: ObjectHead): boolean {
  return (
    one.sizeBytes === other.sizeBytes &&
    typeOf(one) === typeOf(other) &&
    metadataText(one) === metadataText(other)
  );
}

function typeOf({ contentType }: ObjectHead): string {
  return contentType ?? "application/octet-stream";
}

function metadataText({ metadata }: ObjectHead): string {
  const entries = Object.entries(metadata).map(([name, value]) => [name.toLowerCase(), value]);
  return JSON.stringify(entries.sort(([one = ""], [other = ""]) => (one < other ? -1 : 1)));
}
