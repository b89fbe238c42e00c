import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import { type ObjectHead, type PutOptions, StoreError } from "#service/ports/object-store.ts";
import { notTheStore, toStoreError } from "./s3-error.ts";

const METADATA_PREFIX = "x-amz-meta-";

/** Header values must be printable ASCII; S3 lower-cases metadata names. */
export function metadataHeaders(options: PutOptions): Record<string, string> {
  const entries = Object.entries(options.metadata ?? {}).map(
    ([name, value]) => [METADATA_PREFIX + name.toLowerCase(), encodeURIComponent(value)] as const,
  );
  return { "content-type": options.contentType, ...Object.fromEntries(entries) };
}

/** @throws {StoreError} when the answer does not describe an object, e.g. a proxy's error page */
export function readObjectHead(key: ObjectKey, { headers, status, body }: Response): ObjectHead {
  const wholeSize = /\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1];
  const sizeBytes = readSize(wholeSize ?? headers.get("content-length"));
  if (!headers.has("etag") || sizeBytes === null) {
    void body?.cancel();
    throw toStoreError("Looking up an object", notTheStore(status));
  }
  const metadata = [...headers].flatMap(([name, value]) =>
    name.startsWith(METADATA_PREFIX)
      ? [[name.slice(METADATA_PREFIX.length), decode(value)] as const]
      : [],
  );
  return {
    key,
    sizeBytes,
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

/** Null for anything but a number: it must not count as an empty object. */
export function readSize(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Without quotes, and without the mark of a proxy that made it weak. */
export function readTag(etag: string | null): string {
  return (etag ?? "").replace(/^W\//, "").replaceAll('"', "");
}

/** @throws {StoreError} `invalid` for text that is not a key, despite its type */
export function checkedKey(key: ObjectKey): string {
  if (objectKeySchema.safeParse(key).success) return key;
  throw new StoreError("invalid", `${JSON.stringify(key)} is not a valid key`);
}
