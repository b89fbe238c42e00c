import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import {
  type ByteRange,
  type MultipartHandle,
  type ObjectHead,
  type ObjectStore,
  type PutOptions,
  StoreError,
  type TagAlgorithm,
  type StoreErrorKind,
} from "#service/ports/object-store.ts";
import { foreignWords } from "#service/secrets/foreign-words.ts";

/**
 * The object store as an R2 bucket. Bodies are sent from buffers, because R2 requires a known
 * length. Bindings cannot list unfinished uploads: the database records them, and a lifecycle rule
 * of the bucket aborts forgotten ones. Every object's name begins with `keyPrefix`.
 */
export function openR2Store(
  bucket: R2Bucket,
  partTagAlgorithm: TagAlgorithm,
  keyPrefix = "",
): ObjectStore {
  /** @throws {StoreError} `invalid` for text that is not a key, despite its type */
  function checked(key: ObjectKey): string {
    if (objectKeySchema.safeParse(key).success) return keyPrefix + key;
    throw new StoreError("invalid", `${JSON.stringify(key)} is not a valid key`);
  }

  async function head(key: ObjectKey): Promise<ObjectHead | null> {
    const name = checked(key);
    const found = await callR2("Looking up an object", () => bucket.head(name));
    return found === null ? null : readHead(key, found);
  }

  async function get(key: ObjectKey, range?: ByteRange) {
    const name = checked(key);
    if (range !== undefined && range.length <= 0) return getNothing(key);
    try {
      const options = range === undefined ? {} : { range };
      const found = await callR2("Reading an object", () => bucket.get(name, options));
      return found === null ? null : { head: readHead(key, found), body: found.body };
    } catch (error) {
      // R2 and its emulator report a range past the end differently.
      const nothing = range === undefined ? null : await getNothing(key);
      if (nothing === null || nothing.head.sizeBytes > (range?.offset ?? 0)) throw error;
      return nothing;
    }
  }

  /** For a range that is empty or past the end. */
  async function getNothing(key: ObjectKey) {
    const found = await head(key);
    return found === null ? null : { head: found, body: new Blob([]).stream() };
  }

  function resume({ key, multipartId }: MultipartHandle): R2MultipartUpload {
    return bucket.resumeMultipartUpload(checked(key), multipartId);
  }

  return {
    partTagAlgorithm,
    name: keyPrefix === "" ? "R2" : `R2/${keyPrefix.slice(0, -1)}`,
    async put(key, body, options) {
      const name = checked(key);
      const stored = await callR2("Writing an object", () =>
        bucket.put(name, body, storeOptions(options)),
      );
      return readHead(key, stored);
    },
    get,
    head,
    async list({ prefix = "", cursor }) {
      const page = await callR2("Listing objects", () =>
        bucket.list({
          prefix: keyPrefix + prefix,
          ...(cursor === undefined ? {} : { cursor }),
        }),
      );
      const objects = page.objects.flatMap((object) => {
        const key = objectKeySchema.safeParse(object.key.slice(keyPrefix.length));
        return key.success ? [readHead(key.data, object)] : [];
      });
      return {
        objects,
        foreignKeys: page.objects.length - objects.length,
        cursor: page.truncated ? page.cursor : null,
      };
    },
    async delete(key) {
      const name = checked(key);
      await callR2("Deleting an object", () => bucket.delete(name));
    },
    async createMultipart(key, options) {
      const name = checked(key);
      const upload = await callR2("Starting an upload", () =>
        bucket.createMultipartUpload(name, storeOptions(options)),
      );
      return { key, multipartId: upload.uploadId };
    },
    async uploadPart(handle, partNumber, bytes) {
      const { etag } = await callR2("Writing a part", () =>
        resume(handle).uploadPart(partNumber, bytes),
      );
      return { partNumber, tag: etag };
    },
    async completeMultipart(handle, parts) {
      // R2 would create an empty object from no parts.
      if (parts.length === 0) throw new StoreError("bad_part", "An object needs at least one part");
      const stored = await callR2("Completing an upload", () =>
        resume(handle).complete(parts.map(({ partNumber, tag }) => ({ partNumber, etag: tag }))),
      );
      return readHead(handle.key, stored);
    },
    async abortMultipart(handle) {
      try {
        await callR2("Aborting an upload", () => resume(handle).abort());
      } catch (error) {
        if (!(error instanceof StoreError && error.kind === "no_such_upload")) throw error;
      }
    },
    listMultiparts: async () => null,
  };
}

function storeOptions({ contentType, metadata }: PutOptions) {
  return {
    httpMetadata: { contentType },
    ...(metadata === undefined ? {} : { customMetadata: { ...metadata } }),
  };
}

function readHead(key: ObjectKey, object: R2Object): ObjectHead {
  return {
    key,
    sizeBytes: object.size,
    lastModifiedAt: object.uploaded,
    tag: object.etag,
    contentType: object.httpMetadata?.contentType ?? null,
    metadata: object.customMetadata ?? {},
  };
}

/**
 * R2's error codes (developers.cloudflare.com/r2/api/error-codes). Bindings append them to the
 * message: "completeMultipart: … (10048)".
 */
const KINDS: Readonly<Record<number, StoreErrorKind>> = {
  10_002: "denied",
  10_003: "denied",
  10_006: "denied", // the bucket does not exist
  10_011: "bad_part", // a part under 5 MiB that is not the last
  10_024: "no_such_upload",
  10_025: "bad_part", // a part that was replaced or never sent
  10_048: "bad_part", // parts of unequal size
};

/** Runs one call to R2; an unknown error says nothing about the object. @throws {StoreError} */
export async function callR2<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const code = errorCode(text);
    throw new StoreError(KINDS[code ?? 0] ?? "unavailable", `${doing}: ${foreignWords(text)}`, {
      cause: error,
    });
  }
}

function errorCode(message: string): number | null {
  const found = /\((\d{5})\)$/.exec(message);
  return found === null ? null : Number(found[1]);
}
