import type { Clock } from "#service/ports/clock.ts";
import type { Digests } from "#service/ports/digests.ts";
import { StoreError, type MultipartHandle, type ObjectStore } from "#service/ports/object-store.ts";
import type { Random } from "#service/ports/random.ts";
import type { BufferPool } from "./buffer-pool.ts";
import { confirmedPart, SEAM_BYTES, type ConfirmedPart, type Seam } from "./checkpoint.ts";
import type { CutPart } from "./part-cutter.ts";
import { ArchiveFailed, StartOver, TryLater } from "./run-end.ts";
import { jitter } from "./source-gate.ts";

/** Two parts in flight hide the store's latency; more would only take memory. */
const PARTS_IN_FLIGHT = 2;

/** One if two would take all the memory that the host grants and leave none for segments. */
export function partsInFlight(partSizeBytes: number, grantedBytes: number): number {
  return PARTS_IN_FLIGHT * partSizeBytes < grantedBytes ? PARTS_IN_FLIGHT : 1;
}

/** A part with a wrong tag was damaged in transit; three times in a row is not chance. */
const MAX_WRONG_TAGS = 3;

/** Delays add up to about half a minute on average (63 s at most), enough for a store restart. */
const MAX_STORE_TRIES = 7;
const FIRST_STORE_DELAY_MS = 500;

export type PartWriter = {
  /** Takes ownership of the part's buffer; resolves when another part may be submitted. */
  submit(part: CutPart): Promise<void>;
  /** Resolves when every submitted part is recorded. */
  settle(): Promise<void>;
};

export type PartWriterDeps = {
  readonly objects: ObjectStore;
  readonly digests: Digests;
  readonly clock: Clock;
  readonly random: Random;
  readonly pool: Pick<BufferPool, "give">;
  readonly handle: MultipartHandle;
  readonly mostInFlight: number;
  /** Called with the outcome of each request: see {@link withStoreRetries}. */
  readonly onStoreAnswer?: (trouble: string | null) => void;
  /** Called in the order of parts, one at a time. @throws {LeaseLost} */
  readonly record: (part: ConfirmedPart) => Promise<void>;
};

/**
 * Stores parts, compares the store's tag with the digest of each part, and records the parts in
 * order. An error is thrown by the next `submit` or `settle`; no later part is recorded.
 */
export function createPartWriter(deps: PartWriterDeps, signal: AbortSignal): PartWriter {
  const inFlight = new Set<Promise<void>>();
  let recorded: Promise<void> = Promise.resolve();
  let hasFailed = false;

  async function store(part: CutPart, previous: Promise<void>): Promise<void> {
    try {
      const confirmed = await storePart(deps, part, signal);
      await previous;
      await deps.record(confirmed);
    } finally {
      deps.pool.give(part.buffer);
    }
  }

  return {
    async submit(part) {
      if (hasFailed) {
        deps.pool.give(part.buffer);
        await recorded;
      }
      const storing = store(part, recorded);
      recorded = storing;
      const tracked = storing.finally(() => inFlight.delete(tracked));
      inFlight.add(tracked);
      tracked.catch(() => {
        hasFailed = true;
      });
      while (inFlight.size >= deps.mostInFlight) await Promise.race(inFlight);
    },
    async settle() {
      await recorded;
    },
  };
}

async function storePart(
  deps: PartWriterDeps,
  part: CutPart,
  signal: AbortSignal,
): Promise<ConfirmedPart> {
  const { digests, objects } = deps;
  const [sha256, seam, ownTag] = await Promise.all([
    digests.sha256(part.bytes),
    seamOf(digests, part),
    objects.partTagAlgorithm === "md5" ? digests.md5(part.bytes) : null,
  ]);
  const expectedTag = objects.partTagAlgorithm === "sha-256" ? sha256 : ownTag;
  for (let wrongTags = 0; wrongTags < MAX_WRONG_TAGS; wrongTags += 1) {
    const { tag } = await withStoreRetries(
      deps,
      signal,
      () => objects.uploadPart(deps.handle, part.partNumber, part.bytes, expectedTag),
      deps.onStoreAnswer,
    );
    if (expectedTag === null || tag === expectedTag) {
      return confirmedPart(part, { tag, sha256, seam });
    }
  }
  throw new ArchiveFailed(
    "storage",
    `The store holds other bytes than were sent for part ${part.partNumber}, ${MAX_WRONG_TAGS} times.`,
  );
}

/** The seam is shorter if this part contains fewer bytes of the unit. */
async function seamOf(digests: Digests, part: CutPart): Promise<Seam | null> {
  if (part.endUnitSizeBytes === null) return null;
  const seamBytes = Math.min(SEAM_BYTES, part.end.offset, part.bytes.byteLength);
  const seam = part.bytes.subarray(part.bytes.byteLength - seamBytes);
  return { unitSizeBytes: part.endUnitSizeBytes, sha256: await digests.sha256(seam) };
}

/**
 * Retries while the store is unavailable. `onAnswer` is called after each attempt with a sentence
 * about the trouble, or null after a success.
 * @throws {TryLater} when it stays unavailable, and at once when an operator has to make room or
 *   give access
 * @throws {StartOver} when the multipart upload is gone
 * @throws {ArchiveFailed} when the store refuses for good
 */
export async function withStoreRetries<T>(
  deps: Pick<PartWriterDeps, "clock" | "random">,
  signal: AbortSignal,
  ask: () => Promise<T>,
  onAnswer: (trouble: string | null) => void = () => undefined,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      signal.throwIfAborted();
      const answer = await ask();
      onAnswer(null);
      return answer;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const end = endOf(error);
      if (end instanceof TryLater) onAnswer(end.message);
      if (error.kind !== "unavailable" || tries >= MAX_STORE_TRIES) throw end;
      await deps.clock.sleep(jitter(deps.random) * FIRST_STORE_DELAY_MS * 2 ** tries, signal);
    }
  }
}

/** The error that ends a run after this store error. */
function endOf(cause: StoreError): Error {
  switch (cause.kind) {
    case "no_such_upload":
      return new StartOver("The store no longer has the parts", { cause });
    case "full":
      return new TryLater("space", cause.message, { cause });
    case "denied":
      return new TryLater("access", `The store refuses access. ${cause.message}`, { cause });
    case "unavailable":
      return new TryLater("storage", `The store is not available: ${cause.message}`, { cause });
    default:
      return new ArchiveFailed("storage", `The store refuses: ${cause.message}`, { cause });
  }
}
