import type { ObjectKey } from "#contract/files.ts";

/**
 * What the service asks of its surroundings. A host supplies one platform and nothing else; the
 * service imports no host and nothing that only one runtime has.
 *
 * The database is the only truth. Everything else may forget: the cache at any time, the queue and
 * the hub whenever a process ends. Losing them delays work by one sweep and loses none.
 */
export type Platform = {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly cache: Cache;
  readonly queue: ResumeQueue;
  readonly hub: LiveHub;
  readonly scheduler: Scheduler;
  /** Outgoing requests. Never follows redirects on its own: callers re-check each hop. */
  readonly fetch: OutgoingFetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly logs: LogSink;
  readonly digests: Digests;
  readonly runtime: Runtime;
  readonly breakable: MakeBreakable;
  /** Outgoing mail; absent or null where none is configured. */
  readonly mail?: MailTransport | null;
};

// ---- database -------------------------------------------------------------------------------

export type SqlValue = string | number | null | Uint8Array;

export type Statement = { readonly sql: string; readonly values: readonly SqlValue[] };

export type Row = Record<string, SqlValue>;

export type RunResult = {
  /** Rows that the statement inserted, changed or deleted. */
  readonly changes: number;
  /** Rows of a RETURNING clause. */
  readonly rows: readonly Row[];
};

/**
 * The SQLite dialect inside D1's limits: 100 bound values a statement, LIKE patterns up to 50
 * bytes, statements up to 100 kB and 30 s, no BEGIN (developers.cloudflare.com/d1/platform/limits).
 * Foreign keys are on.
 *
 * Methods throw {@link DatabaseError} when the database cannot work at all; a statement that is at
 * fault itself throws a plain error.
 */
export type Database = {
  all(statement: Statement): Promise<readonly Row[]>;
  run(statement: Statement): Promise<RunResult>;
  /**
   * Runs all statements in one transaction: all take effect or none. A statement that changes no
   * row does not stop the batch; guards belong into each statement's own WHERE.
   */
  batch(statements: readonly Statement[]): Promise<readonly RunResult[]>;
  /**
   * Calls `listener` with each statement's true cost. Absent where the database cannot tell; the
   * meter then estimates from the rows that come back and the rows that change.
   */
  onUsage?(listener: (usage: RowUsage) => void): void;
  /** Bytes the database takes up; absent where it cannot tell. */
  sizeBytes?(): Promise<number>;
};

/**
 * - `unavailable`: it is locked, gone, damaged or does not answer.
 * - `full`: it can still be read, but takes no more.
 */
export type DatabaseErrorKind = "unavailable" | "full";

/** Whether a write took effect before the failure is not known. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly kind: DatabaseErrorKind;

  constructor(kind: DatabaseErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** What a statement costs at a database that bills by the row (D1's result meta). */
export type RowUsage = { readonly rowsRead: number; readonly rowsWritten: number };

// ---- object store ---------------------------------------------------------------------------

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

export type PutOptions = {
  readonly contentType: string;
  /** Up to 2,048 bytes of names and values together: the smallest limit of any store. */
  readonly metadata?: Readonly<Record<string, string>>;
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
  /** What people call this store, e.g. "folder" or "s3://bucket". */
  readonly name: string;
  put(key: ObjectKey, body: Uint8Array, options: PutOptions): Promise<ObjectHead>;
  get(
    key: ObjectKey,
    range?: ByteRange,
  ): Promise<{ head: ObjectHead; body: ReadableStream<Uint8Array> } | null>;
  head(key: ObjectKey): Promise<ObjectHead | null>;
  /** Keys in ascending order, at most 1,000 a page; pass `cursor` back until it is null. */
  list(options: {
    prefix?: string;
    cursor?: string;
  }): Promise<{ objects: readonly ObjectHead[]; cursor: string | null }>;
  /** Deletes exactly this key. Deleting an absent key is not an error. */
  delete(key: ObjectKey): Promise<void>;
  createMultipart(key: ObjectKey, options: PutOptions): Promise<MultipartHandle>;
  /**
   * Stores one part. Sending the same number again replaces it. The bytes must not be changed
   * until the promise settles; afterwards the caller may reuse the buffer.
   *
   * `digest` is what {@link partTagAlgorithm} makes of `bytes`, where the caller has computed it
   * already. A store may answer with it as the tag once it has found that it holds these bytes;
   * otherwise the tag tells what it holds instead.
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

export type StoreErrorKind = "no_such_upload" | "bad_part" | "full" | "denied" | "unavailable";

/** A failure of the object store. Only `unavailable` and `full` are worth another try. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

// ---- cache, queue, hub, scheduler -----------------------------------------------------------

/** May forget and may be stale by a minute: never for sessions, locks or counters. */
export type Cache = {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, timeToLiveMs: number): Promise<void>;
  /** Returns how many entries were dropped. */
  clear(): Promise<number>;
};

/** A hint that an upload may have work to do. Duplicates and losses are normal. */
export type WakeUp = { readonly uploadId: string };

export type ResumeQueue = {
  /** At least once, after about `delayMs`, unless the process ends first. */
  send(message: WakeUp, delayMs?: number): Promise<void>;
  /** What waits, for the queue's measured status; null where it cannot be told. */
  backlog(): Promise<{ count: number; oldestAt: Date | null } | null>;
};

/** Numbered events: ids grow by one for each topic as long as the hub lives. */
export type LiveEvent = { readonly id: number; readonly data: string };

/**
 * Publish and subscribe. `data` is encoded once and sent to all. The hub keeps the last few
 * hundred events a topic, so that a reader who lost the line can catch up.
 */
export type LiveHub = {
  publish(topic: string, data: string): Promise<void>;
  /**
   * Calls `deliver` for every event after `lastEventId` (null: from now on), in order, without
   * gaps or repeats. When events after `lastEventId` are no longer kept, `missed` is true and the
   * reader needs a fresh snapshot.
   */
  subscribe(
    topic: string,
    lastEventId: number | null,
    deliver: (event: LiveEvent) => void,
  ): Promise<{ missed: boolean; lastId: number; unsubscribe: () => void }>;
  /**
   * Takes one of `places` of that name among all processes, until the function that comes back is
   * called or this process ends; null when none is free. Absent where one process serves everybody.
   */
  readonly takePlace?: (name: string, places: number) => Promise<(() => void) | null>;
};

/** The sweeper's heartbeat. Runs never overlap; a throwing run does not stop the next one. */
export type Scheduler = {
  every(intervalMs: number, name: string, run: () => Promise<void>): void;
};

// ---- the rest -------------------------------------------------------------------------------

export type OutgoingFetch = (url: string, init?: RequestInit) => Promise<Response>;

/**
 * The same body, `sizeBytes` long, which breaks off with an error when the signal aborts: also while
 * nobody reads. It costs a stored file little or nothing on its way out.
 */
export type MakeBreakable = (
  body: ReadableStream<Uint8Array>,
  sizeBytes: number,
  signal: AbortSignal,
) => BreakableBody;

export type BreakableBody = {
  readonly body: ReadableStream<Uint8Array>;
  /** Resolves when the body is through, was given up by its reader, or broke off. Never rejects. */
  readonly ended: Promise<void>;
};

export type Clock = {
  /** Milliseconds since 1970 in UTC; may jump. */
  now(): number;
  /** Milliseconds that never run backwards; only differences mean something. */
  monotonic(): number;
  /** Resolves after about `ms`, at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export type Random = {
  /** Cryptographically strong. */
  bytes(length: number): Uint8Array;
};

export type LogLevel = "error" | "warn" | "info" | "debug";

export type LogRecord = {
  readonly level: LogLevel;
  readonly at: Date;
  readonly message: string;
  readonly meta: Readonly<Record<string, unknown>>;
};

/** Receives records whose secrets are already masked. Never throws and never waits. */
export type LogSink = { write(record: LogRecord): void };

/** Digests of whole buffers, off the request's thread where the runtime can. Lower-case hex. */
export type Digests = {
  /** Other threads hash shared memory in place; whoever hashes much should hand over such. */
  readonly prefersShared?: boolean;
  sha256(bytes: Uint8Array): Promise<string>;
  md5(bytes: Uint8Array): Promise<string>;
};

export type Runtime = {
  readonly startedAt: Date;
  /** Name of the host, e.g. "node". */
  readonly host: string;
  /** Memory the archive engine may hold in segments and parts, in bytes. */
  readonly copyBufferBytes: number;
  /** Connections one archive may hold open to the source; six is the Workers limit. */
  readonly connectionsPerArchive: number;
  /** An archive hands over after this long, so that no run outlives the platform's limit. */
  readonly sliceMs: number;
  /**
   * A run has ended by then whatever it does. What follows the copy (chat, proof) cannot be handed
   * over halfway, and so may outlast the slice up to here.
   */
  readonly longestRunMs: number;
  /**
   * Confirmed bytes that go on record with one write: what a crash may cost once more, against a
   * write for each part. 0 writes each part at once.
   */
  readonly checkpointBytes: number;
  /** Between two writes of an archive's progress, which renew its lease as well. */
  readonly progressEveryMs: number;
  /** How many archives this process copies at a time. */
  readonly archiveConcurrency: number;
  /**
   * The host makes sure that no other process works on this database while this one lives. Leases
   * of earlier processes are then void, and their archives go on at once after a restart.
   */
  readonly isSoleWriter: boolean;
  /** CPU time of this process since it started, in milliseconds; absent where it cannot be read. */
  cpuMs?(): number;
};

// ---- mail -----------------------------------------------------------------------------------

export type MailMessage = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for every try of one message, so that a repeat shows as one mail. */
  readonly messageId: string;
};

/** Mail needs sockets, which is why it is the host's. The sender's address is the host's setting. */
export type MailTransport = {
  /** Resolves when the server has taken the message. @throws {MailError} within `timeoutMs`. */
  send(message: MailMessage, timeoutMs: number): Promise<void>;
};

/**
 * - `refused`: the server will never take this message (SMTP 5xx, or an unfit address).
 * - `unavailable`: no answer, a broken connection, or a try-later answer (SMTP 4xx).
 */
export type MailErrorKind = "refused" | "unavailable";

export class MailError extends Error {
  override readonly name = "MailError";
  readonly kind: MailErrorKind;

  constructor(kind: MailErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
