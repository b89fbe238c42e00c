import { Buffer } from "node:buffer";
import type { ObjectKey } from "#contract/files.ts";
import { findPartTagAlgorithm } from "#hosts/ports/part-tag-probe.ts";
import type { Digests } from "#service/ports/digests.ts";
import {
  type ByteRange,
  type MultipartHandle,
  type ObjectHead,
  type ObjectStore,
  type PutOptions,
  StoreError,
  type StoredPart,
  type TagAlgorithm,
} from "#service/ports/object-store.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { createKeyLock } from "../key-lock.ts";
import type { S3Address } from "./s3-address.ts";
import type { S3Client } from "./s3-client.ts";
import { notTheStore, toStoreError } from "./s3-error.ts";
import { checkedKey, metadataHeaders, readObjectHead, readTag } from "./s3-head.ts";
import { listMultiparts, listObjects } from "./s3-listing.ts";
import { elementText, escapeXml } from "./s3-xml.ts";

/** The server may join ten thousand parts before it answers. */
const COMPLETE_TIMEOUT_MS = 10 * 60_000;

/**
 * A bucket behind the S3 protocol: R2, MinIO, Amazon S3 and others. Each body is sent with its MD5,
 * so that the server refuses damaged ones.
 *
 * A part's ETag is its MD5, except in encrypted buckets and behind some gateways. The first other
 * tag makes this process ask the bucket with a known part, and bytes are read back where tags prove
 * nothing.
 *
 * The server checks part sizes: R2 refuses unequal ones, Amazon does not.
 */
export function createS3Store(
  client: S3Client,
  digests: Digests,
  { bucket, prefix: keyPrefix }: Pick<S3Address, "bucket" | "prefix">,
): ObjectStore {
  const locked = createKeyLock();
  let partTagAlgorithm: TagAlgorithm = "md5";
  let isProbed = false;

  /** Whether a tag that is no MD5 can be expected of this bucket. Asks it once per process. */
  async function hasOpaqueTags(): Promise<boolean> {
    if (!isProbed) {
      const store = { createMultipart, uploadPart: sendPart, abortMultipart };
      partTagAlgorithm = await findPartTagAlgorithm(store, digests);
      isProbed = true;
    }
    return partTagAlgorithm === "none";
  }

  async function head(key: ObjectKey): Promise<ObjectHead | null> {
    const response = await client.open({
      doing: "Looking up an object",
      method: "HEAD",
      key: checkedKey(key),
      expected: [404],
    });
    return response.status === 404 ? await confirmAbsence(key) : readObjectHead(key, response);
  }

  /** A proxy answers 404, too; only the body of a GET tells that it is the store's own. */
  async function confirmAbsence(key: ObjectKey): Promise<ObjectHead | null> {
    const response = await openObject(key, { offset: 0, length: 1 });
    await response.body?.cancel();
    return response.status === 404 ? null : readObjectHead(key, response);
  }

  async function presentHead(key: ObjectKey): Promise<ObjectHead> {
    const found = await head(key);
    if (found === null) throw new StoreError("unavailable", "The object just written is not there");
    return found;
  }

  /** One at a time for each key, so that what is looked up afterwards is what was sent. */
  function put(key: ObjectKey, body: Uint8Array, options: PutOptions): Promise<ObjectHead> {
    return locked(key, async () => {
      const md5 = await digests.md5(body);
      const response = await client.open({
        doing: "Writing an object",
        method: "PUT",
        key: checkedKey(key),
        headers: { ...metadataHeaders(options), ...md5Header(md5) },
        body,
      });
      await response.body?.cancel();
      const stored = await presentHead(key);
      const isProved =
        stored.sizeBytes === body.byteLength &&
        (stored.tag === md5 || ((await hasOpaqueTags()) && (await holds(key, body))));
      if (!isProved)
        throw new StoreError("unavailable", "The store holds different bytes than were sent");
      return stored;
    });
  }

  async function holds(key: ObjectKey, body: Uint8Array): Promise<boolean> {
    const stored = await readStored({ get }, key);
    return stored !== null && Buffer.compare(stored, body) === 0;
  }

  function openObject(key: ObjectKey, range: ByteRange | undefined): Promise<Response> {
    return client.open({
      doing: "Reading an object",
      method: "GET",
      key: checkedKey(key),
      headers:
        range === undefined
          ? {}
          : { range: `bytes=${range.offset}-${range.offset + range.length - 1}` },
      // Neither a missing bucket nor a proxy's own 404 proves that the object is gone.
      expected: ["NoSuchKey", 416],
    });
  }

  async function get(key: ObjectKey, range?: ByteRange) {
    if (range !== undefined && range.length <= 0) return getNothing(key);
    const response = await openObject(key, range);
    if (response.status === 404) return null;
    if (response.status === 416) return getNothing(key);
    if (range !== undefined && response.status !== 206) {
      await response.body?.cancel();
      throw new StoreError("unavailable", "The server ignored the range");
    }
    return {
      head: readObjectHead(key, response),
      body: response.body ?? emptyStream(),
    };
  }

  /** For a range that is empty or past the end. */
  async function getNothing(key: ObjectKey) {
    const found = await head(key);
    return found === null ? null : { head: found, body: emptyStream() };
  }

  async function remove(key: ObjectKey): Promise<void> {
    await client.read({
      doing: "Deleting an object",
      method: "DELETE",
      key: checkedKey(key),
      expected: ["NoSuchKey"],
    });
  }

  async function createMultipart(key: ObjectKey, options: PutOptions): Promise<MultipartHandle> {
    const doing = "Starting an upload";
    const { text } = await client.read({
      doing,
      method: "POST",
      key: checkedKey(key),
      query: { uploads: "" },
      headers: metadataHeaders(options),
      root: "InitiateMultipartUploadResult",
    });
    const multipartId = elementText(text, "UploadId");
    if (multipartId === null) throw new StoreError("unavailable", `${doing}: no id in the answer`);
    return { key, multipartId };
  }

  async function sendPart(
    { key, multipartId }: MultipartHandle,
    partNumber: number,
    bytes: Uint8Array,
    digest: Promise<string> | null = null,
  ): Promise<StoredPart> {
    const doing = "Writing a part";
    const { headers, status, body } = await client.open({
      doing,
      method: "PUT",
      key: checkedKey(key),
      query: { partNumber: String(partNumber), uploadId: multipartId },
      headers: md5Header(await (digest ?? digests.md5(bytes))),
      body: bytes,
    });
    await body?.cancel();
    const etag = headers.get("etag");
    if (etag === null) throw toStoreError(doing, notTheStore(status));
    return { partNumber, tag: readTag(etag) };
  }

  async function uploadPart(
    handle: MultipartHandle,
    partNumber: number,
    bytes: Uint8Array,
    digest: Promise<string> | null = null,
  ): Promise<StoredPart> {
    const md5 = digest ?? digests.md5(bytes);
    const part = await sendPart(handle, partNumber, bytes, md5);
    if (part.tag !== (await md5)) await hasOpaqueTags();
    return part;
  }

  async function completeMultipart(
    { key, multipartId }: MultipartHandle,
    parts: readonly StoredPart[],
  ): Promise<ObjectHead> {
    if (parts.length === 0) throw new StoreError("bad_part", "An object needs at least one part");
    const listed = parts.map(
      ({ partNumber, tag }) =>
        `<Part><PartNumber>${partNumber}</PartNumber><ETag>"${escapeXml(tag)}"</ETag></Part>`,
    );
    await client.read({
      doing: "Completing an upload",
      method: "POST",
      key: checkedKey(key),
      query: { uploadId: multipartId },
      headers: { "content-type": "application/xml" },
      body: `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${listed.join("")}</CompleteMultipartUpload>`,
      timeoutMs: COMPLETE_TIMEOUT_MS,
      root: "CompleteMultipartUploadResult",
    });
    return presentHead(key);
  }

  async function abortMultipart({ key, multipartId }: MultipartHandle): Promise<void> {
    await client.read({
      doing: "Aborting an upload",
      method: "DELETE",
      key: checkedKey(key),
      query: { uploadId: multipartId },
      expected: ["NoSuchUpload", "NoSuchKey"],
    });
  }

  return {
    get partTagAlgorithm() {
      return partTagAlgorithm;
    },
    name: `s3://${bucket}${keyPrefix === "" ? "" : `/${keyPrefix.slice(0, -1)}`}`,
    put,
    get,
    head,
    list: (page) => listObjects(client, keyPrefix, page),
    delete: remove,
    createMultipart,
    uploadPart,
    completeMultipart,
    abortMultipart,
    listMultiparts: () => listMultiparts(client, keyPrefix),
  };
}

/** Lets the server verify the received bytes against this digest. */
function md5Header(md5Hex: string): Record<string, string> {
  return { "content-md5": Buffer.from(md5Hex, "hex").toString("base64") };
}

function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
}
