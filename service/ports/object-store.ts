import type { ObjectKey } from "#contract/files.ts";

export type ObjectHead = {
  readonly key: ObjectKey;
  readonly sizeBytes: number;
  readonly lastModifiedAt: Date;
  /** The store's own tag for the whole object, without quotes. */
  readonly tag: string;
  readonly contentType: string | null;
  readonly metadata: Readonly<Record<string, string>>;
};

export type ByteRange = { readonly offset: number; readonly length: number };

export type ListedPage = {
  readonly objects: readonly ObjectHead[];
  readonly cursor: string | null;
  /** Objects left out because their names, given by others, are no valid keys. */
  readonly foreignKeys?: number;
};

export type PutOptions = {
  readonly contentType: string;
  /** Up to 2,048 bytes of names and values together: the smallest limit of any store. */
  readonly metadata?: Readonly<Record<string, string>>;
};

export type PresignOptions = {
  readonly validSec: number;
  /** What the store is to answer with. */
  readonly contentType: string;
  readonly contentDisposition: string;
};

export type MultipartHandle = { readonly key: ObjectKey; readonly multipartId: string };

export type StoredPart = { readonly partNumber: number; readonly tag: string };

/**
 * How a store proves what it holds.
 * - `sha-256`, `md5`: a part's tag is that digest, lower-case hex, of the bytes as the store
 *   holds them; equality with our own digest is proof.
 * - `none`: tags say nothing about the bytes; only reading back does.
 */
export type TagAlgorithm = "sha-256" | "md5" | "none";

/**
 * Object storage with R2's rules (developers.cloudflare.com/r2/platform/limits): parts of one
 * multipart upload are all the same size but the last, at least 5 MiB but the last, at most
 * 10,000; strongly consistent reads and lists.
 *
 * Methods throw {@link StoreError}; `head` and `get` return null for an absent key.
 */
export type ObjectStore = {
  readonly partTagAlgorithm: TagAlgorithm;
  /** What people call this store, e.g. "folder" or "s3://bucket/prefix". */
  readonly name: string;
  /** Whether another deployment could use it too: a bucket, but no folder under DATA_DIR's lock. */
  readonly isShared: boolean;
  put(key: ObjectKey, body: Uint8Array, options: PutOptions): Promise<ObjectHead>;
  get(
    key: ObjectKey,
    range?: ByteRange,
  ): Promise<{ head: ObjectHead; body: ReadableStream<Uint8Array> } | null>;
  head(key: ObjectKey): Promise<ObjectHead | null>;
  /**
   * An address at which whoever has it may read the object, for `validSec`. Absent where readers are
   * not to ask the store themselves.
   */
  readonly presign?: (key: ObjectKey, options: PresignOptions) => Promise<string>;
  /** Keys in ascending order, at most 1,000 a page; pass `cursor` back until it is null. */
  list(options: { prefix?: string; cursor?: string }): Promise<ListedPage>;
  /** Deletes exactly this key. Deleting an absent key is not an error. */
  delete(key: ObjectKey): Promise<void>;
  createMultipart(key: ObjectKey, options: PutOptions): Promise<MultipartHandle>;
  /**
   * Stores one part, which survives a power cut once the promise has resolved. Sending the same
   * number again replaces it. The bytes must not be changed until the promise settles; afterwards
   * the caller may reuse the buffer.
   *
   * `digest` is what {@link partTagAlgorithm} makes of `bytes`, where the caller has computed it
   * already.
   */
  uploadPart(
    handle: MultipartHandle,
    partNumber: number,
    bytes: Uint8Array,
    digest?: string | null,
  ): Promise<StoredPart>;
  /** Not safe to repeat: throws `no_such_upload` when it already succeeded; check with `head`. */
  completeMultipart(handle: MultipartHandle, parts: readonly StoredPart[]): Promise<ObjectHead>;
  /** Drops the upload and its parts. Safe to repeat, and for uploads that never were. */
  abortMultipart(handle: MultipartHandle): Promise<void>;
  /** Unfinished uploads, for the reconciler; null where the store cannot list them (R2 binding). */
  listMultiparts(): Promise<readonly (MultipartHandle & { startedAt: Date })[] | null>;
};

/**
 * - `full`: there is no room for these bytes; the message is a sentence for people.
 * - `denied`: the store does not let us in or do this: wrong or expired credentials, a policy, a
 *   missing bucket, file permissions. The message says what an operator has to mend.
 * - `invalid`: the request is wrong as it stands.
 * - `unavailable`: the store does not answer, or says that it cannot at the moment.
 */
export type StoreErrorKind =
  | "no_such_upload"
  | "bad_part"
  | "full"
  | "denied"
  | "invalid"
  | "unavailable";

/**
 * A failure of the object store. `unavailable`, `full` and `denied` end by themselves or once an
 * operator has acted: then the same call succeeds.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
