import type { ObjectKey } from "#contract/files.ts";

export type ObjectHead = {
  readonly key: ObjectKey;
  readonly sizeBytes: number;
  readonly lastModifiedAt: Date;
  /** The store's tag of the whole object, without quotes. */
  readonly tag: string;
  readonly contentType: string | null;
  readonly metadata: Readonly<Record<string, string>>;
};

export type ByteRange = { readonly offset: number; readonly length: number };

export type ListedPage = {
  readonly objects: readonly ObjectHead[];
  readonly cursor: string | null;
  /** Number of objects left out because their names, set by others, are no valid keys. */
  readonly foreignKeys?: number;
};

export type PutOptions = {
  readonly contentType: string;
  /** At most 2,048 bytes of names and values: the smallest limit of any store. */
  readonly metadata?: Readonly<Record<string, string>>;
};

export type MultipartOptions = PutOptions & {
  /** The size of all parts but the last. */
  readonly partSizeBytes?: number;
};

export type MultipartHandle = { readonly key: ObjectKey; readonly multipartId: string };

export type StoredPart = { readonly partNumber: number; readonly tag: string };

/**
 * How a store's tags prove its content.
 * - `sha-256`, `md5`: a part's tag is that digest in lower-case hex. A server computes it from what it
 *   received, so that equality with our own digest is proof.
 * - `none`: tags prove nothing; only reading the bytes back does.
 */
export type TagAlgorithm = "sha-256" | "md5" | "none";

/**
 * Object storage with R2's rules (developers.cloudflare.com/r2/platform/limits): parts of one
 * multipart upload are all the same size but the last, which may be smaller; at least 5 MiB but the
 * last; at most 10,000; strongly consistent reads and lists.
 *
 * Methods throw {@link StoreError}; `head` and `get` return null for an absent key.
 */
export type ObjectStore = {
  readonly partTagAlgorithm: TagAlgorithm;
  /** Display name, e.g. "DATA_DIR/objects" or "s3://bucket/prefix". */
  readonly name: string;
  put(key: ObjectKey, body: Uint8Array, options: PutOptions): Promise<ObjectHead>;
  get(
    key: ObjectKey,
    range?: ByteRange,
  ): Promise<{ head: ObjectHead; body: ReadableStream<Uint8Array> } | null>;
  head(key: ObjectKey): Promise<ObjectHead | null>;
  /** Keys in ascending order, at most 1,000 a page; pass `cursor` back until it is null. */
  list(options: { prefix?: string; cursor?: string }): Promise<ListedPage>;
  /** Deletes exactly this key. Deleting an absent key is not an error. */
  delete(key: ObjectKey): Promise<void>;
  createMultipart(key: ObjectKey, options: MultipartOptions): Promise<MultipartHandle>;
  /**
   * Stores one part, durably once the promise has resolved. Uploading the same number again
   * replaces it. The bytes must not change until the promise settles; afterwards the caller may
   * reuse the buffer.
   *
   * Parts may be uploaded in any order and in parallel. Without a declared part size, the first call
   * of an upload has a part of full size. A store refuses a part of the wrong size here or on
   * completion, with `bad_part`.
   *
   * `digest` is the {@link partTagAlgorithm} digest of `bytes`, if the caller computes it anyway.
   * The store may write the bytes meanwhile.
   */
  uploadPart(
    handle: MultipartHandle,
    partNumber: number,
    bytes: Uint8Array,
    digest?: Promise<string> | null,
  ): Promise<StoredPart>;
  /** Not idempotent: throws `no_such_upload` if it already succeeded; check with `head`. */
  completeMultipart(handle: MultipartHandle, parts: readonly StoredPart[]): Promise<ObjectHead>;
  /** Deletes the upload and its parts. Idempotent, also for unknown uploads. */
  abortMultipart(handle: MultipartHandle): Promise<void>;
  /** Unfinished uploads, for the reconciler; null where the store cannot list them (R2 binding). */
  listMultiparts(): Promise<readonly (MultipartHandle & { startedAt: Date })[] | null>;
};

/** The same store with some operations replaced. Its tag algorithm may be learned later. */
export function replaceOperations(
  objects: ObjectStore,
  operations: Partial<Omit<ObjectStore, "partTagAlgorithm">>,
): ObjectStore {
  return {
    ...objects,
    ...operations,
    get partTagAlgorithm() {
      return objects.partTagAlgorithm;
    },
  };
}

/**
 * - `full`: no room for these bytes; the message is a sentence for users.
 * - `denied`: the store refuses access: wrong or expired credentials, a policy, a missing bucket,
 *   file permissions. The message tells an operator what to fix.
 * - `cold`: the object exists, but its storage class has to be restored before it can be read.
 * - `invalid`: the request itself is wrong.
 * - `unavailable`: the store does not answer, reports that it temporarily cannot, or gives an answer
 *   whose meaning is unknown. It says nothing about the object.
 * - `unmarked`, `foreign`: the store is not ours (store/store-owner.ts). It says nothing about the
 *   object.
 */
export const STORE_ERROR_KINDS = [
  "no_such_upload",
  "bad_part",
  "full",
  "denied",
  "cold",
  "invalid",
  "unavailable",
  "unmarked",
  "foreign",
] as const;
export type StoreErrorKind = (typeof STORE_ERROR_KINDS)[number];

/**
 * A failure of the object store. All kinds but `no_such_upload`, `bad_part` and `invalid` are temporary or
 * can be fixed by an operator; the same call then succeeds.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Whether the store could not be asked: nothing is known about the object, and waiting may help. */
export function isAway({ kind }: StoreError): boolean {
  return kind === "unavailable" || kind === "unmarked" || kind === "foreign";
}
