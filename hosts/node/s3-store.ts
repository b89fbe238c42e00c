import { Buffer } from "node:buffer";
import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import {
  type ByteRange,
  type Digests,
  type MultipartHandle,
  type ObjectHead,
  type ObjectStore,
  type PutOptions,
  StoreError,
  type StoredPart,
} from "#service/platform.ts";
import { type S3Client, readXmlAnswer } from "./s3-client.ts";
import { metadataHeaders, readObjectHead } from "./s3-head.ts";
import { elementText, elements, escapeXml } from "./s3-xml.ts";

/** The server may put ten thousand parts together before it answers. */
const COMPLETE_TIMEOUT_MS = 10 * 60_000;

/**
 * A bucket behind the S3 protocol: R2, MinIO, Amazon S3 and others. A part's ETag is its MD5, but
 * where objects are encrypted with keys of one's own. Each body is sent with its MD5, so that the
 * server refuses what was damaged on the way.
 *
 * An encrypted part's tag is then that MD5, which the server has compared; the ETags that
 * completing asks for are listed anew. Such an object's own ETag proves nothing, so that the engine
 * reads all of it back.
 *
 * Sizes of parts are judged by the server: R2 refuses unequal ones, Amazon does not.
 */
export function createS3Store(client: S3Client, digests: Digests, bucket: string): ObjectStore {
  /** Ids of uploads that this process has sent a part of. */
  const encryptedUploads = new Set<string>();

  async function head(key: ObjectKey): Promise<ObjectHead | null> {
    const doing = "Looking up an object";
    const response = await client({ doing, method: "HEAD", key: checked(key), expected: [404] });
    await response.body?.cancel();
    return response.status === 404 ? null : readObjectHead(key, response.headers);
  }

  async function presentHead(key: ObjectKey): Promise<ObjectHead> {
    const found = await head(key);
    if (found === null) throw new StoreError("unavailable", "The object just written is not there");
    return found;
  }

  async function put(key: ObjectKey, body: Uint8Array, options: PutOptions): Promise<ObjectHead> {
    const response = await client({
      doing: "Writing an object",
      method: "PUT",
      key: checked(key),
      headers: { ...metadataHeaders(options), "content-md5": toBase64(await digests.md5(body)) },
      body,
    });
    await response.body?.cancel();
    return presentHead(key);
  }

  async function get(key: ObjectKey, range: ByteRange | undefined) {
    if (range !== undefined && range.length <= 0) return getNothing(key);
    const response = await client({
      doing: "Reading an object",
      method: "GET",
      key: checked(key),
      headers:
        range === undefined
          ? {}
          : { range: `bytes=${range.offset}-${range.offset + range.length - 1}` },
      expected: [404, 416],
    });
    if (response.status === 404 || response.status === 416) {
      await response.body?.cancel();
      return response.status === 404 ? null : getNothing(key);
    }
    if (range !== undefined && response.status !== 206) {
      await response.body?.cancel();
      throw new StoreError("unavailable", "The server ignored the range");
    }
    const body = response.body ?? emptyStream();
    return { head: readObjectHead(key, response.headers), body };
  }

  /** A range of no bytes, or behind the end. */
  async function getNothing(key: ObjectKey) {
    const found = await head(key);
    return found === null ? null : { head: found, body: emptyStream() };
  }

  async function list({ prefix, cursor }: { prefix?: string; cursor?: string }) {
    const doing = "Listing objects";
    const xml = await readXmlAnswer(
      doing,
      await client({
        doing,
        method: "GET",
        key: null,
        query: {
          "list-type": "2",
          "max-keys": "1000",
          ...(prefix === undefined || prefix === "" ? {} : { prefix }),
          ...(cursor === undefined ? {} : { "continuation-token": cursor }),
        },
      }),
    );
    const isMore = elementText(xml, "IsTruncated") === "true";
    return {
      objects: elements(xml, "Contents").flatMap(readListedObject),
      cursor: isMore ? elementText(xml, "NextContinuationToken") : null,
    };
  }

  async function createMultipart(key: ObjectKey, options: PutOptions): Promise<MultipartHandle> {
    const doing = "Starting an upload";
    const xml = await readXmlAnswer(
      doing,
      await client({
        doing,
        method: "POST",
        key: checked(key),
        query: { uploads: "" },
        headers: metadataHeaders(options),
      }),
    );
    const multipartId = elementText(xml, "UploadId");
    if (multipartId === null) throw new StoreError("unavailable", `${doing}: no id in the answer`);
    return { key, multipartId };
  }

  async function uploadPart(
    { key, multipartId }: MultipartHandle,
    partNumber: number,
    bytes: Uint8Array,
    digest: string | null = null,
  ): Promise<StoredPart> {
    const md5 = digest ?? (await digests.md5(bytes));
    const response = await client({
      doing: "Writing a part",
      method: "PUT",
      key: checked(key),
      query: { partNumber: String(partNumber), uploadId: multipartId },
      headers: { "content-md5": toBase64(md5) },
      body: bytes,
    });
    await response.body?.cancel();
    if (hasOpaqueTag(response.headers)) {
      encryptedUploads.add(multipartId);
      return { partNumber, tag: md5 };
    }
    return { partNumber, tag: readTag(response.headers.get("etag")) };
  }

  /** The ETags of an upload's parts, by number. */
  async function listTags({ key, multipartId }: MultipartHandle) {
    const doing = "Listing parts";
    const tags = new Map<number, string>();
    for (let after = "0"; ;) {
      const response = await client({
        doing,
        method: "GET",
        key: checked(key),
        query: { uploadId: multipartId, "part-number-marker": after },
      });
      const xml = await readXmlAnswer(doing, response);
      for (const part of elements(xml, "Part"))
        tags.set(Number(elementText(part, "PartNumber")), readTag(elementText(part, "ETag")));
      const next = elementText(xml, "NextPartNumberMarker");
      if (elementText(xml, "IsTruncated") !== "true" || next === null) return tags;
      after = next;
    }
  }

  async function completeMultipart(
    { key, multipartId }: MultipartHandle,
    parts: readonly StoredPart[],
  ): Promise<ObjectHead> {
    if (parts.length === 0) throw new StoreError("bad_part", "An object needs at least one part");
    const doing = "Completing an upload";
    const tags = encryptedUploads.has(multipartId) ? await listTags({ key, multipartId }) : null;
    const listed = parts.map(
      ({ partNumber, tag }) =>
        `<Part><PartNumber>${partNumber}</PartNumber><ETag>"${escapeXml(tags?.get(partNumber) ?? tag)}"</ETag></Part>`,
    );
    const response = await client({
      doing,
      method: "POST",
      key: checked(key),
      query: { uploadId: multipartId },
      headers: { "content-type": "application/xml" },
      body: `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${listed.join("")}</CompleteMultipartUpload>`,
      timeoutMs: COMPLETE_TIMEOUT_MS,
    });
    await readXmlAnswer(doing, response);
    encryptedUploads.delete(multipartId);
    return presentHead(key);
  }

  async function listMultiparts() {
    const doing = "Listing uploads";
    const found: (MultipartHandle & { startedAt: Date })[] = [];
    let after: Record<string, string> = {};
    for (;;) {
      const response = await client({
        doing,
        method: "GET",
        key: null,
        query: { uploads: "", ...after },
        expected: [501],
      });
      // Not every server can.
      if (response.status === 501) {
        await response.body?.cancel();
        return null;
      }
      const xml = await readXmlAnswer(doing, response);
      found.push(...elements(xml, "Upload").flatMap(readListedUpload));
      const keyMarker = elementText(xml, "NextKeyMarker");
      const idMarker = elementText(xml, "NextUploadIdMarker");
      if (elementText(xml, "IsTruncated") !== "true" || keyMarker === null) return found;
      after = { "key-marker": keyMarker, "upload-id-marker": idMarker ?? "" };
    }
  }

  return {
    partTagAlgorithm: "md5",
    name: `s3://${bucket}`,
    put,
    get,
    head,
    list,
    async delete(key) {
      const doing = "Deleting an object";
      const response = await client({
        doing,
        method: "DELETE",
        key: checked(key),
        expected: [404],
      });
      await response.body?.cancel();
    },
    createMultipart,
    uploadPart,
    completeMultipart,
    async abortMultipart({ key, multipartId }) {
      encryptedUploads.delete(multipartId);
      const response = await client({
        doing: "Aborting an upload",
        method: "DELETE",
        key: checked(key),
        query: { uploadId: multipartId },
        expected: [404],
      });
      await response.body?.cancel();
    },
    listMultiparts,
  };
}

/** @throws {StoreError} `denied` for text that is not a key, whoever vouched for it. */
function checked(key: ObjectKey): string {
  if (objectKeySchema.safeParse(key).success) return key;
  throw new StoreError("denied", `${JSON.stringify(key)} is not a valid key`);
}

/**
 * SSE-KMS and SSE-C: an ETag is then something else than the MD5 of what was sent
 * (docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html).
 */
function hasOpaqueTag(headers: Headers): boolean {
  return (
    headers.get("x-amz-server-side-encryption")?.startsWith("aws:kms") === true ||
    headers.has("x-amz-server-side-encryption-customer-algorithm")
  );
}

function readTag(etag: string | null): string {
  return (etag ?? "").replaceAll('"', "");
}

function toBase64(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64");
}

/** Listings tell neither content type nor metadata. Foreign keys that we could not address are left out. */
function readListedObject(xml: string): readonly ObjectHead[] {
  const key = objectKeySchema.safeParse(elementText(xml, "Key"));
  if (!key.success) return [];
  return [
    {
      key: key.data,
      sizeBytes: Number(elementText(xml, "Size")),
      lastModifiedAt: new Date(elementText(xml, "LastModified") ?? 0),
      tag: readTag(elementText(xml, "ETag")),
      contentType: null,
      metadata: {},
    },
  ];
}

function readListedUpload(xml: string): readonly (MultipartHandle & { startedAt: Date })[] {
  const key = objectKeySchema.safeParse(elementText(xml, "Key"));
  const multipartId = elementText(xml, "UploadId");
  if (!key.success || multipartId === null) return [];
  return [{ key: key.data, multipartId, startedAt: new Date(elementText(xml, "Initiated") ?? 0) }];
}

function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
}
