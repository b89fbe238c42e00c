import type { ObjectKey } from "#contract/files.ts";
import type { Digests } from "#service/ports/digests.ts";
import {
  type ByteRange,
  type ObjectHead,
  type ObjectStore,
  type PutOptions,
  StoreError,
} from "#service/ports/object-store.ts";
import type { S3Address } from "./s3-address.ts";
import { type S3Client, readXmlAnswer } from "./s3-client.ts";
import { readFailure, toStoreError } from "./s3-error.ts";
import { md5Header, metadataHeaders, readObjectHead, readTag } from "./s3-head.ts";
import { checkedKey, readListedKey } from "./s3-key.ts";
import { createS3Multipart } from "./s3-multipart.ts";
import { elementText, elements } from "./s3-xml.ts";

/**
 * A bucket behind the S3 protocol: R2, MinIO, Amazon S3 and others. Each body is sent with its MD5,
 * so that the server refuses damaged ones. With SSE-KMS or SSE-C an ETag proves nothing, and the
 * engine reads such objects back completely.
 */
export function createS3Store(
  client: S3Client,
  digests: Digests,
  { bucket, prefix: keyPrefix }: Pick<S3Address, "bucket" | "prefix">,
): ObjectStore {
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
          ...(keyPrefix + prefix === "" ? {} : { prefix: keyPrefix + prefix }),
          ...(cursor === undefined ? {} : { "continuation-token": cursor }),
        },
      }),
    );
    const isMore = elementText(xml, "IsTruncated") === "true";
    const listed = elements(xml, "Contents");
    const objects = listed.flatMap((each) => readListedObject(each, keyPrefix));
    return {
      objects,
      foreignKeys: listed.length - objects.length,
      cursor: isMore ? elementText(xml, "NextContinuationToken") : null,
    };
  }

  return {
    partTagAlgorithm: "md5",
    name: `s3://${bucket}${keyPrefix === "" ? "" : `/${keyPrefix.slice(0, -1)}`}`,
    isShared: true,
    put,
    get,
    head,
    list,
    async delete(key) {
      const doing = "Deleting an object";
      const response = await client({
        doing,
        method: "DELETE",
        key: checkedKey(key),
        expected: [404],
      });
      await response.body?.cancel();
    },
    ...createS3Multipart({ client, digests, keyPrefix, presentHead }),
  };
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

function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
}
