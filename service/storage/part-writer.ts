import type { Clock } from "#service/ports/clock.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { MultipartHandle, ObjectStore } from "#service/ports/object-store.ts";
import type { Random } from "#service/ports/random.ts";
import type { BufferPool } from "./buffer-pool.ts";
import { confirmedPart, OVERLAP_BYTES, type ConfirmedPart, type Overlap } from "./checkpoint.ts";
import type { CutPart } from "./part-cutter.ts";
import { ArchiveFailed } from "./run-end.ts";
import { withStoreRetries } from "./store-retries.ts";

/** Two parts in flight hide the store's latency; more would only take memory. */
const PARTS_IN_FLIGHT = 2;

/** One if two would take more than half of an archive's memory; the rest is for segments. */
export function partsInFlight(partSizeBytes: number, memoryBytes: number): number {
  return PARTS_IN_FLIGHT * partSizeBytes <= memoryBytes / 2 ? PARTS_IN_FLIGHT : 1;
}

/** A part with a wrong tag was damaged in transit; three times in a row is not chance. */
const MAX_WRONG_TAGS = 3;

export type PartWriter = {
  /** Takes ownership of the part's buffer; resolves when another part may be submitted. */
  submit(part: CutPart): Promise<void>;
  /** Settles when no submitted part is in flight: resolves if all of them are recorded. */
  settle(): Promise<void>;
};

export type PartWriterDeps = {
  readonly objects: ObjectStore;
  readonly digests: Digests;
  readonly clock: Clock;
  readonly random: Random;
  readonly pool: Pick<BufferPool, "give">;
  readonly handle: MultipartHandle;
  /** May change while parts are stored. */
  readonly mostInFlight: () => number;
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
      const storing = storePart(deps, part, signal);
      // A failure must not overtake the record of an earlier part.
      await Promise.allSettled([storing, previous]);
      await previous;
      const confirmed = await storing;
      signal.throwIfAborted();
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
      while (inFlight.size >= deps.mostInFlight()) await Promise.race(inFlight);
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
  const [sha256, overlap, ownTag] = await Promise.all([
    digests.sha256(part.bytes),
    overlapOf(digests, part),
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
      return confirmedPart(part, { tag, sha256, overlap });
    }
  }
  throw new ArchiveFailed(
    "storage",
    `The store holds other bytes than were sent for part ${part.partNumber}, ${MAX_WRONG_TAGS} times.`,
  );
}

/** The overlap is shorter if this part contains fewer bytes of the unit. */
async function overlapOf(digests: Digests, part: CutPart): Promise<Overlap | null> {
  if (part.endUnitSizeBytes === null) return null;
  const overlapBytes = Math.min(OVERLAP_BYTES, part.end.offset, part.bytes.byteLength);
  const overlap = part.bytes.subarray(part.bytes.byteLength - overlapBytes);
  return { unitSizeBytes: part.endUnitSizeBytes, sha256: await digests.sha256(overlap) };
}
