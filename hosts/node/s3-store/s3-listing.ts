import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import {
  type ListedPage,
  type MultipartHandle,
  type ObjectHead,
  StoreError,
} from "#service/ports/object-store.ts";
import type { S3Client } from "./s3-client.ts";
import { notTheStore, toStoreError } from "./s3-error.ts";
import { readSize, readTag } from "./s3-head.ts";
import { elementText, elements } from "./s3-xml.ts";

/**
 * One page of at most a thousand objects under `keyPrefix`, after the key `cursor`, which outlives
 * the server's own tokens. A listing that does not advance is an error.
 * @throws {StoreError}
 */
export async function listObjects(
  client: S3Client,
  keyPrefix: string,
  { prefix = "", cursor = "" }: { prefix?: string; cursor?: string },
): Promise<ListedPage> {
  const doing = "Listing objects";
  const { text } = await client.read({
    doing,
    method: "GET",
    key: null,
    query: {
      "list-type": "2",
      "max-keys": "1000",
      ...(keyPrefix + prefix === "" ? {} : { prefix: keyPrefix + prefix }),
      ...(cursor === "" ? {} : { "start-after": cursor }),
    },
    root: "ListBucketResult",
  });
  const listed = elements(text, "Contents");
  const objects = listed.flatMap((each) => readListedObject(each, keyPrefix));
  const isMore = elementText(text, "IsTruncated") === "true";
  const last = elementText(listed.at(-1) ?? "", "Key") ?? "";
  if (isMore && (last === "" || last === cursor)) throw doesNotAdvance(doing);
  return {
    objects,
    foreignKeys: listed.length - objects.length,
    cursor: isMore ? last : null,
  };
}

/** All unfinished uploads under `keyPrefix`; null if the server cannot list them. @throws {StoreError} */
export async function listMultiparts(
  client: S3Client,
  keyPrefix: string,
): Promise<readonly ListedUpload[] | null> {
  const doing = "Listing uploads";
  const found: ListedUpload[] = [];
  const seen = new Set<string>();
  for (let after: Record<string, string> = {}; ;) {
    const { status, text } = await client.read({
      doing,
      method: "GET",
      key: null,
      query: { uploads: "", ...(keyPrefix === "" ? {} : { prefix: keyPrefix }), ...after },
      expected: [501],
      root: "ListMultipartUploadsResult",
    });
    if (status === 501) return null;
    found.push(...elements(text, "Upload").flatMap((each) => readListedUpload(each, keyPrefix)));
    if (elementText(text, "IsTruncated") !== "true") return found;
    const keyMarker = elementText(text, "NextKeyMarker") ?? "";
    const idMarker = elementText(text, "NextUploadIdMarker") ?? "";
    const marker = `${keyMarker}\n${idMarker}`;
    if (keyMarker === "" || seen.has(marker)) throw doesNotAdvance(doing);
    seen.add(marker);
    after = { "key-marker": keyMarker, "upload-id-marker": idMarker };
  }
}

type ListedUpload = MultipartHandle & { readonly startedAt: Date };

function doesNotAdvance(doing: string): StoreError {
  return new StoreError("unavailable", `${doing}: the store's list does not advance`);
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
  const sizeBytes = readSize(elementText(xml, "Size"));
  if (sizeBytes === null) throw toStoreError("Listing objects", notTheStore(200));
  return [
    {
      key,
      sizeBytes,
      lastModifiedAt: new Date(elementText(xml, "LastModified") ?? 0),
      tag: readTag(elementText(xml, "ETag")),
      contentType: null,
      metadata: {},
    },
  ];
}

function readListedUpload(xml: string, keyPrefix: string): readonly ListedUpload[] {
  const key = readListedKey(xml, keyPrefix);
  const multipartId = elementText(xml, "UploadId");
  if (key === null || multipartId === null) return [];
  return [{ key, multipartId, startedAt: new Date(elementText(xml, "Initiated") ?? 0) }];
}
