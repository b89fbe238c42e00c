import type { ObjectKey } from "#contract/files.ts";
import type { Digests } from "#service/ports/digests.ts";
import {
  type MultipartHandle,
  type ObjectHead,
  type ObjectStore,
  type PutOptions,
  StoreError,
  type StoredPart,
} from "#service/ports/object-store.ts";
import { type S3Client, readXmlAnswer } from "./s3-client.ts";
import { md5Header, metadataHeaders, readTag } from "./s3-head.ts";
import { checkedKey, readListedKey } from "./s3-key.ts";
import { elementText, elements, escapeXml } from "./s3-xml.ts";

/** The server may join ten thousand parts before it answers. */
const COMPLETE_TIMEOUT_MS = 10 * 60_000;

export type S3Multipart = Pick<
  ObjectStore,
  "createMultipart" | "uploadPart" | "completeMultipart" | "abortMultipart" | "listMultiparts"
>;

type S3MultipartParts = {
  readonly client: S3Client;
  readonly digests: Digests;
  /** Only uploads whose keys begin with this prefix are listed. */
  readonly keyPrefix: string;
  /** @throws {StoreError} when the object does not exist */
  readonly presentHead: (key: ObjectKey) => Promise<ObjectHead>;
};

/**
 * A part's ETag is its MD5, except in objects encrypted with SSE-KMS or SSE-C. The tag is then the
 * MD5 that was sent and that the server verified; completing lists the parts again for their ETags.
 *
 * The server checks part sizes: R2 refuses unequal ones, Amazon does not.
 */
export function createS3Multipart({
  client,
  digests,
  keyPrefix,
  presentHead,
}: S3MultipartParts): S3Multipart {
  /** Ids of uploads whose parts have opaque ETags, as seen by this process. */
  const encryptedUploads = new Set<string>();

  async function createMultipart(key: ObjectKey, options: PutOptions): Promise<MultipartHandle> {
    const doing = "Starting an upload";
    const xml = await readXmlAnswer(
      doing,
      await client({
        doing,
        method: "POST",
        key: checkedKey(key),
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
    const doing = "Listing parts";
    const tags = new Map<number, string>();
    for (let after = "0"; ;) {
      const response = await client({
        doing,
        method: "GET",
        key: checkedKey(key),
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
      key: checkedKey(key),
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
        query: { uploads: "", ...(keyPrefix === "" ? {} : { prefix: keyPrefix }), ...after },
        expected: [501],
      });
      // Not every server supports it.
      if (response.status === 501) {
        await response.body?.cancel();
        return null;
      }
      const xml = await readXmlAnswer(doing, response);
      found.push(...elements(xml, "Upload").flatMap((each) => readListedUpload(each, keyPrefix)));
      const keyMarker = elementText(xml, "NextKeyMarker");
      const idMarker = elementText(xml, "NextUploadIdMarker");
      if (elementText(xml, "IsTruncated") !== "true" || keyMarker === null) return found;
      after = { "key-marker": keyMarker, "upload-id-marker": idMarker ?? "" };
    }
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

  return { createMultipart, uploadPart, completeMultipart, abortMultipart, listMultiparts };
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

function readListedUpload(
  xml: string,
  keyPrefix: string,
): readonly (MultipartHandle & { startedAt: Date })[] {
  const key = readListedKey(xml, keyPrefix);
  const multipartId = elementText(xml, "UploadId");
  if (key === null || multipartId === null) return [];
  return [{ key, multipartId, startedAt: new Date(elementText(xml, "Initiated") ?? 0) }];
}
