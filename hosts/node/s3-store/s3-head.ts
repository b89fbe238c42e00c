import { Buffer } from "node:buffer";
import type { ObjectKey } from "#contract/files.ts";
import { type ObjectHead, type PutOptions, StoreError } from "#service/ports/object-store.ts";

const PREFIX = "x-amz-meta-";

/** Header values must be printable ASCII; S3 lower-cases metadata names. */
export function metadataHeaders(options: PutOptions): Record<string, string> {
  const entries = Object.entries(options.metadata ?? {}).map(
    ([name, value]) => [PREFIX + name.toLowerCase(), encodeURIComponent(value)] as const,
  );
  return { "content-type": options.contentType, ...Object.fromEntries(entries) };
}

/** @throws {StoreError} when the answer does not describe an object, e.g. a proxy's error page */
export async function readObjectHead(
  key: ObjectKey,
  { headers, body }: Response,
): Promise<ObjectHead> {
  if (!headers.has("etag")) {
    await body?.cancel();
    throw new StoreError("unavailable", "A server that is not the store answered");
  }
  const wholeSize = /\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1];
  const metadata = [...headers].flatMap(([name, value]) =>
    name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), decode(value)] as const] : [],
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

export function readTag(etag: string | null): string {
  return (etag ?? "").replaceAll('"', "");
}

/** Lets the server verify the received bytes against this digest. */
export function md5Header(md5Hex: string): Record<string, string> {
  return { "content-md5": Buffer.from(md5Hex, "hex").toString("base64") };
}

/** Other programs store values without encoding. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
