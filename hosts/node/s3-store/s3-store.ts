import { Buffer } from "node:buffer";
import { AwsV4Signer } from "aws4fetch";
import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import type { Digests } from "#service/ports/digests.ts";
import {
  type ByteRange,
  type MultipartHandle,
  type ObjectHead,
  type ObjectStore,
  type PutOptions,
  StoreError,
  type StoredPart,
} from "#service/ports/object-store.ts";
import type { S3Address } from "./s3-address.ts";
import { type S3Client, type S3Credentials, type S3Request, toUrl } from "./s3-client.ts";
import { readFailure, toStoreError } from "./s3-error.ts";
import { elementText, elements, escapeXml } from "./s3-xml.ts";

/** The server may join ten thousand parts before it answers. */
const COMPLETE_TIMEOUT_MS = 10 * 60_000;

/**
 * A bucket behind the S3 protocol: R2, MinIO, Amazon S3 and others. Each body is sent with its MD5,
 * so that the server refuses damaged ones.
 *
 * A part's ETag is its MD5, except in objects encrypted with SSE-KMS or SSE-C. The tag is then the
 * MD5 that was sent and that the server verified; completing lists the parts again for their ETags,
 * and the engine reads the object back completely.
 *
 * The server checks part sizes: R2 refuses unequal ones, Amazon does not.
 */
export function createS3Store(
  client: S3Client,
  digests: Digests,
  { bucket, prefix: keyPrefix }: Pick<S3Address, "bucket" | "prefix">,
): ObjectStore {
  /** Ids of uploads whose parts have opaque ETags, as seen by this process. */
  const encryptedUploads = new Set<string>();

  async function head(key: ObjectKey): Promise<ObjectHead | null> {
    const doing = "Looking up an object";
    const response = await client({ doing, method: "HEAD", key: checkedKey(key), expected: [404] });
    await response.body?.cancel();
    return response.status === 404 ? null : await readObjectHead(key, response);
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
      key: checkedKey(key),
      headers: { ...metadataHeaders(options), ...md5Header(await digests.md5(body)) },
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
      key: checkedKey(key),
      headers:
        range === undefined
          ? {}
          : { range: `bytes=${range.offset}-${range.offset + range.length - 1}` },
      expected: [404, 416],
    });
    if (response.status === 404) {
      const failure = readFailure(404, response.headers, await response.text());
      // Neither a missing bucket nor a proxy's own 404 proves that the object is gone.
      if (failure.code !== "NoSuchKey") throw toStoreError("Reading an object", failure);
      return null;
    }
    if (response.status === 416) {
      await response.body?.cancel();
      return getNothing(key);
    }
    if (range !== undefined && response.status !== 206) {
      await response.body?.cancel();
      throw new StoreError("unavailable", "The server ignored the range");
    }
    return {
      head: await readObjectHead(key, response),
      body: response.body ?? emptyStream(),
    };
  }

  /** For a range that is empty or past the end. */
  async function getNothing(key: ObjectKey) {
    const found = await head(key);
    return found === null ? null : { head: found, body: emptyStream() };
  }

  async function list({ prefix = "", cursor }: { prefix?: string; cursor?: string }) {
    const xml = await requestXml(client, {
      doing: "Listing objects",
      method: "GET",
      key: null,
      query: {
        "list-type": "2",
        "max-keys": "1000",
        ...(keyPrefix + prefix === "" ? {} : { prefix: keyPrefix + prefix }),
        ...(cursor === undefined ? {} : { "continuation-token": cursor }),
      },
    });
    const isMore = elementText(xml, "IsTruncated") === "true";
    const listed = elements(xml, "Contents");
    const objects = listed.flatMap((each) => readListedObject(each, keyPrefix));
    return {
      objects,
      foreignKeys: listed.length - objects.length,
      cursor: isMore ? elementText(xml, "NextContinuationToken") : null,
    };
  }

  async function remove(key: ObjectKey): Promise<void> {
    const response = await client({
      doing: "Deleting an object",
      method: "DELETE",
      key: checkedKey(key),
      expected: [404],
    });
    await response.body?.cancel();
  }

  async function createMultipart(key: ObjectKey, options: PutOptions): Promise<MultipartHandle> {
    const doing = "Starting an upload";
    const xml = await requestXml(client, {
      doing,
      method: "POST",
      key: checkedKey(key),
      query: { uploads: "" },
      headers: metadataHeaders(options),
    });
    const multipartId = elementText(xml, "UploadId");
    if (multipartId === null) throw new StoreError("unavailable", `${doing}: no id in the answer`);
    return { key, multipartId };
  }

  async function uploadPart(
    { key, multipartId }: MultipartHandle,
    partNumber: number,
    bytes: Uint8Array,
    digest: Promise<string> | null = null,
  ): Promise<StoredPart> {
    const md5 = await (digest ?? digests.md5(bytes));
    const response = await client({
      doing: "Writing a part",
      method: "PUT",
      key: checkedKey(key),
      query: { partNumber: String(partNumber), uploadId: multipartId },
      headers: md5Header(md5),
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
    const tags = new Map<number, string>();
    for (let after = "0"; ;) {
      const xml = await requestXml(client, {
        doing: "Listing parts",
        method: "GET",
        key: checkedKey(key),
        query: { uploadId: multipartId, "part-number-marker": after },
      });
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
    const tags = encryptedUploads.has(multipartId) ? await listTags({ key, multipartId }) : null;
    const listed = parts.map(
      ({ partNumber, tag }) =>
        `<Part><PartNumber>${partNumber}</PartNumber><ETag>"${escapeXml(tags?.get(partNumber) ?? tag)}"</ETag></Part>`,
    );
    await requestXml(client, {
      doing: "Completing an upload",
      method: "POST",
      key: checkedKey(key),
      query: { uploadId: multipartId },
      headers: { "content-type": "application/xml" },
      body: `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${listed.join("")}</CompleteMultipartUpload>`,
      timeoutMs: COMPLETE_TIMEOUT_MS,
    });
    encryptedUploads.delete(multipartId);
    return presentHead(key);
  }

  async function abortMultipart({ key, multipartId }: MultipartHandle): Promise<void> {
    encryptedUploads.delete(multipartId);
    const response = await client({
      doing: "Aborting an upload",
      method: "DELETE",
      key: checkedKey(key),
      query: { uploadId: multipartId },
      expected: [404],
    });
    await response.body?.cancel();
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
        query: { uploads: "", ...(keyPrefix === "" ? {} : { prefix: keyPrefix }), ...after },
        expected: [501],
      });
      // Not every server supports it.
      if (response.status === 501) {
        await response.body?.cancel();
        return null;
      }
      const xml = await readXml(doing, response);
      found.push(...elements(xml, "Upload").flatMap((each) => readListedUpload(each, keyPrefix)));
      const keyMarker = elementText(xml, "NextKeyMarker");
      const idMarker = elementText(xml, "NextUploadIdMarker");
      if (elementText(xml, "IsTruncated") !== "true" || keyMarker === null) return found;
      after = { "key-marker": keyMarker, "upload-id-marker": idMarker ?? "" };
    }
  }

  return {
    partTagAlgorithm: "md5",
    name: `s3://${bucket}${keyPrefix === "" ? "" : `/${keyPrefix.slice(0, -1)}`}`,
    isShared: true,
    put,
    get,
    head,
    list,
    delete: remove,
    createMultipart,
    uploadPart,
    completeMultipart,
    abortMultipart,
    listMultiparts,
  };
}

/** Addresses signed in their query (docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html). */
export function createS3Presigner(
  address: S3Address,
  credentials: S3Credentials,
): NonNullable<ObjectStore["presign"]> {
  return async (key, { validSec, contentType, contentDisposition }) => {
    const query = {
      "X-Amz-Expires": String(validSec),
      "response-content-type": contentType,
      "response-content-disposition": contentDisposition,
    };
    const signer = new AwsV4Signer({
      ...credentials,
      service: "s3",
      region: address.region,
      method: "GET",
      url: toUrl(address, { key: checkedKey(key), query }),
      signQuery: true,
    });
    const { url } = await signer.sign();
    // Not every server decodes a plus sign to the space that was signed.
    return url.href.replaceAll("+", "%20");
  };
}

async function requestXml(client: S3Client, request: S3Request): Promise<string> {
  return readXml(request.doing, await client(request));
}

/** Some operations return 200 and later report their failure in the body. */
async function readXml(doing: string, response: Response): Promise<string> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    throw new StoreError("unavailable", `${doing}: the answer broke off`, { cause: error });
  }
  if (!/<Error[\s>]/.test(text)) return text;
  throw toStoreError(doing, readFailure(500, null, text));
}

/** @throws {StoreError} `invalid` for text that is not a key, despite its type */
function checkedKey(key: ObjectKey): string {
  if (objectKeySchema.safeParse(key).success) return key;
  throw new StoreError("invalid", `${JSON.stringify(key)} is not a valid key`);
}

/** The key of a listed object or upload; null for a foreign one that is not a valid key. */
function readListedKey(xml: string, keyPrefix: string): ObjectKey | null {
  const name = elementText(xml, "Key") ?? "";
  if (!name.startsWith(keyPrefix)) return null;
  const key = objectKeySchema.safeParse(name.slice(keyPrefix.length));
  return key.success ? key.data : null;
}

/** Listings include neither content type nor metadata. */
function readListedObject(xml: string, keyPrefix: string): readonly ObjectHead[] {
  const key = readListedKey(xml, keyPrefix);
  if (key === null) return [];
  return [
    {
      key,
      sizeBytes: Number(elementText(xml, "Size")),
      lastModifiedAt: new Date(elementText(xml, "LastModified") ?? 0),
      tag: readTag(elementText(xml, "ETag")),
      contentType: null,
      metadata: {},
    },
  ];
}

function readListedUpload(
  xml: string,
  keyPrefix: string,
): readonly (MultipartHandle & { startedAt: Date })[] {
  const key = readListedKey(xml, keyPrefix);
  const multipartId = elementText(xml, "UploadId");
  if (key === null || multipartId === null) return [];
  return [{ key, multipartId, startedAt: new Date(elementText(xml, "Initiated") ?? 0) }];
}

const METADATA_PREFIX = "x-amz-meta-";

/** Header values must be printable ASCII; S3 lower-cases metadata names. */
function metadataHeaders(options: PutOptions): Record<string, string> {
  const entries = Object.entries(options.metadata ?? {}).map(
    ([name, value]) => [METADATA_PREFIX + name.toLowerCase(), encodeURIComponent(value)] as const,
  );
  return { "content-type": options.contentType, ...Object.fromEntries(entries) };
}

/** @throws {StoreError} when the answer does not describe an object, e.g. a proxy's error page */
async function readObjectHead(key: ObjectKey, { headers, body }: Response): Promise<ObjectHead> {
  if (!headers.has("etag")) {
    await body?.cancel();
    throw new StoreError("unavailable", "A server that is not the store answered");
  }
  const wholeSize = /\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1];
  const metadata = [...headers].flatMap(([name, value]) =>
    name.startsWith(METADATA_PREFIX)
      ? [[name.slice(METADATA_PREFIX.length), decode(value)] as const]
      : [],
  );
  return {
    key,
    sizeBytes: Number(wholeSize ?? headers.get("content-length")),
    lastModifiedAt: new Date(headers.get("last-modified") ?? 0),
    tag: readTag(headers.get("etag")),
    contentType: headers.get("content-type"),
    metadata: Object.fromEntries(metadata),
  };
}

/** Other programs store values without encoding. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function readTag(etag: string | null): string {
  return (etag ?? "").replaceAll('"', "");
}

/** Lets the server verify the received bytes against this digest. */
function md5Header(md5Hex: string): Record<string, string> {
  return { "content-md5": Buffer.from(md5Hex, "hex").toString("base64") };
}

/**
 * With SSE-KMS and SSE-C, an ETag is not the MD5 of the sent bytes
 * (docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html).
 */
function hasOpaqueTag(headers: Headers): boolean {
  return (
    headers.get("x-amz-server-side-encryption")?.startsWith("aws:kms") === true ||
    headers.has("x-amz-server-side-encryption-customer-algorithm")
  );
}

function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
}
