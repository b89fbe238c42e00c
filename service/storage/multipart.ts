import type { ObjectKey } from "#contract/files.ts";
import type { UploadId } from "#contract/ids.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { type Backoff, backoffMs } from "#service/jobs/backoff.ts";
import type { Platform, Runtime } from "#service/platform.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Digests } from "#service/ports/digests.ts";
import {
  StoreError,
  type MultipartHandle,
  type ObjectHead,
  type ObjectStore,
  type StoreErrorKind,
} from "#service/ports/object-store.ts";
import type { Random } from "#service/ports/random.ts";
import { sizeOfParts, type ConfirmedPart } from "./checkpoint.ts";
import { batchUnderLease, LeaseLost, type UploadLease } from "./lease.ts";
import type { Progress } from "./lease-run.ts";
import { readStored } from "./read-stored.ts";
import { ArchiveFailed, StartOver, TryLater } from "./run-end.ts";

/**
 * Seven attempts wait for half a minute to a minute, enough for a store restart. A refusal of parts is
 * repeated, too, so that no single answer fails an archive or starts it over.
 */
const MAX_TRIES: Partial<Readonly<Record<StoreErrorKind, number>>> = {
  unavailable: 7,
  bad_part: 3,
};
const BACKOFF: Backoff = { firstDelayMs: 1_000, longestDelayMs: 32_000 };

/** Bytes damaged on the way, or an outdated answer, do not come three times in a row. */
const MAX_WRONG_ANSWERS = 3;

/**
 * Retries while the store is unavailable or refuses the parts. `onAnswer` is called after each attempt with a sentence
 * about the problem, or null after a success.
 * @throws {TryLater} when it stays unavailable, and at once when an operator has to make room or
 *   give access
 * @throws {StartOver} when the multipart upload is gone
 * @throws {ArchiveFailed} when the store refuses for good
 */
export async function withStoreRetries<T>(
  deps: { readonly clock: Clock; readonly random: Random },
  signal: AbortSignal,
  ask: () => Promise<T>,
  onAnswer: (problem: string | null) => void = () => undefined,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      signal.throwIfAborted();
      const answer = await ask();
      onAnswer(null);
      return answer;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const end = runErrorOf(error);
      if (end instanceof TryLater) onAnswer(end.message);
      if (tries >= (MAX_TRIES[error.kind] ?? 1)) throw end;
      await deps.clock.sleep(backoffMs(BACKOFF, tries, deps.random), signal);
    }
  }
}

/** The error that ends a run after this store error. */
function runErrorOf(cause: StoreError): Error {
  switch (cause.kind) {
    case "no_such_upload":
      return new StartOver("The store no longer has the parts", { cause });
    case "full":
      return new TryLater("space", cause.message, { cause });
    case "cold":
      return new TryLater("access", cause.message, { cause });
    case "unmarked":
    case "foreign":
      return new TryLater("access", `${cause.message}.`, { cause });
    case "denied":
      return new TryLater("access", `The store refuses access. ${cause.message}`, { cause });
    case "unavailable":
      return new TryLater("storage", `The store is not available: ${cause.message}`, { cause });
    default:
      return new ArchiveFailed("storage", `The store refuses: ${cause.message}`, { cause });
  }
}

export type StoreRun = {
  readonly context: ServiceContext;
  readonly signal: AbortSignal;
  readonly progress: Pick<Progress, "storeAnswered">;
};

/** {@link withStoreRetries} for a run whose progress shows why it waits. */
export function askStore<T>(
  { context, signal, progress }: StoreRun,
  ask: (objects: ObjectStore) => Promise<T>,
): Promise<T> {
  const { platform } = context;
  return withStoreRetries(
    platform,
    signal,
    () => ask(platform.objects),
    (problem) => progress.storeAnswered(problem),
  );
}

/** developers.cloudflare.com/r2/platform/limits; S3 has the same limit. */
export const MAX_PARTS = 10_000;

export type OpenMultipart = { readonly handle: MultipartHandle; readonly partSizeBytes: number };

/** Once, twice or four times the smallest size, so that `sizeBytes` fit into {@link MAX_PARTS} parts. */
export function choosePartSizeFor(sizeBytes: number, { smallestPartBytes }: Runtime): number {
  const factor = [1, 2].find((each) => each * smallestPartBytes * MAX_PARTS >= sizeBytes) ?? 4;
  return factor * smallestPartBytes;
}

/** An upload that may already have a multipart upload on record. */
export type MultipartUpload = {
  readonly id: UploadId;
  readonly owner_id: string;
  readonly vod_id: string | null;
  readonly multipart_id: string | null;
  readonly part_size_bytes: number | null;
};

/** The object to store; `filename` names the unfinished file in the File Browser. */
export type NewObject = {
  readonly key: ObjectKey;
  readonly filename: string;
  readonly contentType: string;
  readonly partSizeBytes: number;
};

/**
 * Returns the multipart upload of an earlier run, or records a new one before its first part.
 * @throws {LeaseLost} and what {@link askStore} throws
 */
export async function openMultipart(
  run: StoreRun & { readonly lease: UploadLease },
  upload: MultipartUpload,
  { key, filename, contentType, partSizeBytes }: NewObject,
): Promise<OpenMultipart> {
  if (upload.multipart_id !== null && upload.part_size_bytes !== null)
    return {
      handle: { key, multipartId: upload.multipart_id },
      partSizeBytes: upload.part_size_bytes,
    };
  const { platform } = run.context;
  const { id, owner_id: ownerId, vod_id: vodId } = upload;
  const metadata = { uploadId: id, ownerId, ...(vodId === null ? {} : { vodId }) };
  const handle = await askStore(run, (objects) =>
    objects.createMultipart(key, { contentType, metadata, partSizeBytes }),
  );
  try {
    await batchUnderLease(platform.database, run.lease, [
      sql`UPDATE uploads SET multipart_id = ${handle.multipartId}, object_key = ${key},
          part_size_bytes = ${partSizeBytes}, stored_bytes = 0
        WHERE id = ${id}`,
      sql`DELETE FROM upload_parts WHERE upload_id = ${id}`,
      sql`INSERT INTO files (object_key, upload_id, user_id, vod_id, filename, size_bytes,
          upload_type, status, content_type, last_modified_at)
        VALUES (${key}, ${id}, ${ownerId}, ${vodId}, ${filename}, 0, 'chunk', 'partial',
          ${contentType}, ${platform.clock.now()})
        ON CONFLICT (object_key) DO NOTHING`,
    ]);
  } catch (error) {
    if (error instanceof LeaseLost) await platform.objects.abortMultipart(handle);
    throw error;
  }
  return { handle, partSizeBytes };
}

/**
 * Completes the multipart upload and verifies the object by its size and tag, or by reading every
 * byte back where tags prove nothing.
 *
 * Completing is not idempotent. If the answer was lost, the store no longer knows the multipart
 * upload, and the object itself shows whether it succeeded. The rows of the parts are made durable
 * first, because a power cut could otherwise lose some of them.
 * @throws {StartOver} when the store has neither the parts nor the object
 * @throws {ArchiveFailed} `storage` when the store holds something else
 */
export async function completeAndProve(
  run: StoreRun,
  handle: MultipartHandle,
  parts: readonly ConfirmedPart[],
): Promise<ObjectHead> {
  const { platform } = run.context;
  const stored = parts.map(({ partNumber, tag }) => ({ partNumber, tag }));
  await platform.database.fsync?.();
  let lost: StartOver | null = null;
  try {
    await askStore(run, (objects) => objects.completeMultipart(handle, stored));
  } catch (error) {
    if (error instanceof ArchiveFailed && isBadPart(error.cause)) {
      throw new StartOver("The store does not hold the parts that it confirmed", {
        cause: error,
      });
    }
    if (!(error instanceof StartOver)) throw error;
    lost = error;
  }
  const sizeBytes = sizeOfParts(parts);
  const head = await askUntil(
    run,
    (objects) => objects.head(handle.key),
    // A lost answer leaves nothing to wait for.
    (found) => found?.sizeBytes === sizeBytes || lost !== null,
  );
  if (head === null || head.sizeBytes !== sizeBytes)
    throw (
      lost ??
      new ArchiveFailed(
        "storage",
        `The store holds ${head?.sizeBytes ?? 0} bytes of the ${sizeBytes} that it confirmed.`,
      )
    );
  if (head.tag !== (await expectedTag(platform, parts))) await readBack(run, handle.key, parts);
  return head;
}

/** No single answer convicts the store: a wrong one is asked for again, three times in all. */
async function askUntil<T>(
  run: StoreRun,
  ask: (objects: ObjectStore) => Promise<T>,
  isRight: (answer: T) => boolean,
): Promise<T> {
  const { clock, random } = run.context.platform;
  for (let tries = 1; ; tries += 1) {
    const answer = await askStore(run, ask);
    if (tries === MAX_WRONG_ANSWERS || isRight(answer)) return answer;
    // At least a second, so that an outdated answer has time to pass.
    await clock.sleep(backoffMs(BACKOFF, tries + 1, random), run.signal);
  }
}

function isBadPart(error: unknown): boolean {
  return error instanceof StoreError && error.kind === "bad_part";
}

/**
 * S3's tag of a multipart object: the digest of the parts' digests, a dash and the number of parts,
 * with MD5 or the store's own algorithm. Null where tags prove nothing.
 */
async function expectedTag(
  platform: Platform,
  parts: readonly ConfirmedPart[],
): Promise<string | null> {
  const { partTagAlgorithm } = platform.objects;
  if (partTagAlgorithm === "none") return null;
  const digest: keyof Digests = partTagAlgorithm === "md5" ? "md5" : "sha256";
  const tags = Uint8Array.from(parts.flatMap((part) => hexBytes(part.tag)));
  return `${await platform.digests[digest](tags)}-${parts.length}`;
}

function hexBytes(hex: string): number[] {
  return Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}

/** Reads every part back and compares its digest. @throws {ArchiveFailed} `storage` */
async function readBack(
  run: StoreRun,
  key: ObjectKey,
  parts: readonly ConfirmedPart[],
): Promise<void> {
  const { digests } = run.context.platform;
  let offset = 0;
  for (const part of parts) {
    const range = { offset, length: part.sizeBytes };
    const sha256 = await askUntil(
      run,
      async (objects) => {
        const bytes = await readStored(objects, key, range);
        return bytes === null ? null : await digests.sha256(bytes);
      },
      (digest) => digest === part.sha256,
    );
    if (sha256 !== part.sha256)
      throw new ArchiveFailed(
        "storage",
        `The store holds different bytes than were sent for part ${part.partNumber}.`,
      );
    offset += part.sizeBytes;
  }
}
