import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import {
  type ListedPage,
  type MultipartHandle,
  type ObjectHead,
  StoreError,
} from "#service/ports/object-store.ts";
import type { S3Client } from "./s3-client.ts";
import { readTag } from "./s3-head.ts";
import { elementText, elements } from "./s3-xml.ts";

/**
 * One page of at most a thousand objects under `keyPrefix`. The cursor is the page's last key and the
 * server's token, so that a listing that does not advance is noticed.
 * @throws {StoreError}
 */
export async function listObjects(
  client: S3Client,
  keyPrefix: string,
  { prefix = "", cursor = "" }: { prefix?: string; cursor?: string },
): Promise<ListedPage> {
  const doing = "Listing objects";
  const [, after = "", token = ""] = /^(?:(.*)\n)?(.*)$/s.exec(cursor) ?? [];
  const { text } = await client.read({
    doing,
    method: "GET",
    key: null,
    query: {
      "list-type": "2",
      "max-keys": "1000",
      ...(keyPrefix + prefix === "" ? {} : { prefix: keyPrefix + prefix }),
      ...(token === "" ? {} : { "continuation-token": token }),
    },
    root: "ListBucketResult",
  });
  const listed = elements(text, "Contents");
  const objects = listed.flatMap((each) => readListedObject(each, keyPrefix));
  const last = elementText(listed.at(-1) ?? "", "Key") ?? after;
  const next = nextMarker(text, "NextContinuationToken");
  if (next !== null && (next === token || (listed.length > 0 && last === after)))
    throw doesNotAdvance(doing);
  return {
    objects,
    foreignKeys: listed.length - objects.length,
    cursor: next === null ? null : `${last}\n${next}`,
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
    const keyMarker = nextMarker(text, "NextKeyMarker");
    if (keyMarker === null) return found;
    const idMarker = elementText(text, "NextUploadIdMarker") ?? "";
    const marker = `${keyMarker}\n${idMarker}`;
    if (seen.has(marker)) throw doesNotAdvance(doing);
    seen.add(marker);
    after = { "key-marker": keyMarker, "upload-id-marker": idMarker };
  }
}

type ListedUpload = MultipartHandle & { readonly startedAt: Date };

/** Null on the last page. A page that says there are more, but not where, proves nothing absent. */
function nextMarker(xml: string, name: string): string | null {
  if (elementText(xml, "IsTruncated") !== "true") return null;
  const marker = elementText(xml, name);
  if (marker === null || marker === "") throw doesNotAdvance("Listing");
  return marker;
}

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

function readListedUpload(xml: string, keyPrefix: string): readonly ListedUpload[] {
  const key = readListedKey(xml, keyPrefix);
  const multipartId = elementText(xml, "UploadId");
  if (key === null || multipartId === null) return [];
  return [{ key, multipartId, startedAt: new Date(elementText(xml, "Initiated") ?? 0) }];
}
