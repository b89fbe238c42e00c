import type { Clock } from "#service/ports/clock.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { MultipartHandle, ObjectStore } from "#service/ports/object-store.ts";
import type { Random } from "#service/ports/random.ts";
import type { BufferPool } from "./buffer-pool.ts";
import {
  gapUnit,
  OVERLAP_BYTES,
  type ConfirmedPart,
  type Cursor,
  type Overlap,
  type StoredUnit,
  type UnitGap,
} from "./checkpoint.ts";
import { ArchiveFailed } from "./run-end.ts";
import { withStoreRetries } from "./multipart.ts";

/** A part ready to be stored, with what a later run needs to continue after it. */
export type CutPart = {
  readonly partNumber: number;
  readonly bytes: Uint8Array;
  readonly buffer: Uint8Array;
  readonly end: Cursor;
  /** Total size of unit `end.unit`; null when the part ended with a unit. */
  readonly endUnitSizeBytes: number | null;
  /** The units that ended in this part, in order. */
  readonly finishedUnits: readonly StoredUnit[];
};

/** What does not fill a part yet: whole units, the first of which may have begun in the last part. */
export type UnsealedPart = {
  readonly bytes: Uint8Array;
  readonly finishedUnits: readonly StoredUnit[];
};

export type PartCutter = {
  /**
   * Adds the next unit, or a gap. Resolves once all bytes are copied, so that `bytes` may be reused.
   */
  add(bytes: Uint8Array | UnitGap): Promise<void>;
  /** Emits the last, shorter part, if any bytes are left over. */
  finish(): Promise<void>;
  /** What was added since the last full part; null while a unit is being added. */
  readonly unsealed: UnsealedPart | null;
  /** Returns the unfinished part's buffer to the pool. */
  discard(): void;
};

const NO_BYTES = new Uint8Array();

/**
 * Cuts the concatenated units into parts of one size. Only the last part may be shorter, as R2
 * requires.
 */
export function createPartCutter(options: {
  readonly partSizeBytes: number;
  readonly start: Cursor;
  readonly firstPartNumber: number;
  readonly pool: BufferPool;
  /** What an earlier run left of the next part, in a buffer of the pool; `start` is behind it. */
  readonly begun?: UnsealedPart & { readonly buffer: Uint8Array };
  /** Takes over the part's buffer; resolves when the next part may be cut. */
  readonly emit: (part: CutPart) => Promise<void>;
}): PartCutter {
  const { partSizeBytes, pool } = options;
  let unit = options.start.unit;
  let offset = options.start.offset;
  let partNumber = options.firstPartNumber;
  let buffer: Uint8Array | null = options.begun?.buffer ?? null;
  let filled = options.begun?.bytes.byteLength ?? 0;
  let unitSizeBytes = 0;
  let finished: StoredUnit[] = [...(options.begun?.finishedUnits ?? [])];

  async function seal(): Promise<void> {
    if (buffer === null) return;
    const part: CutPart = {
      partNumber,
      bytes: buffer.subarray(0, filled),
      buffer,
      end: { unit, offset },
      endUnitSizeBytes: offset === 0 ? null : unitSizeBytes,
      finishedUnits: finished,
    };
    partNumber += 1;
    buffer = null;
    filled = 0;
    finished = [];
    await options.emit(part);
  }

  return {
    async add(bytes) {
      if (typeof bytes === "string") {
        finished.push(gapUnit(bytes, offset));
        unit += 1;
        offset = 0;
        return;
      }
      unitSizeBytes = bytes.byteLength;
      while (offset < bytes.byteLength) {
        buffer ??= pool.take(partSizeBytes);
        const count = Math.min(partSizeBytes - filled, bytes.byteLength - offset);
        buffer.set(bytes.subarray(offset, offset + count), filled);
        filled += count;
        offset += count;
        if (offset === bytes.byteLength) break;
        await seal();
      }
      finished.push({ sizeBytes: bytes.byteLength, isMissing: false });
      unit += 1;
      offset = 0;
      if (filled === partSizeBytes) await seal();
    },
    async finish() {
      await seal();
    },
    get unsealed() {
      if (offset > 0) return null;
      return { bytes: buffer?.subarray(0, filled) ?? NO_BYTES, finishedUnits: finished };
    },
    discard() {
      if (buffer !== null) pool.give(buffer);
      buffer = null;
    },
  };
}

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
  readonly onStoreAnswer?: (problem: string | null) => void;
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

/** The store may write a part while it is hashed. */
async function storePart(
  deps: PartWriterDeps,
  part: CutPart,
  signal: AbortSignal,
): Promise<ConfirmedPart> {
  const { digests, objects } = deps;
  const { partNumber, bytes, end, finishedUnits } = part;
  const sha256 = digests.sha256(bytes);
  const overlap = overlapOf(digests, part);
  const ownTag = objects.partTagAlgorithm === "md5" ? digests.md5(bytes) : null;
  const expectedTag = objects.partTagAlgorithm === "sha-256" ? sha256 : ownTag;
  const sending = sendPart(deps, part, expectedTag, signal);
  // The buffer is in use until all have settled.
  await Promise.allSettled([sha256, overlap, ownTag, sending]);
  return {
    partNumber,
    tag: await sending,
    sizeBytes: bytes.byteLength,
    sha256: await sha256,
    end,
    overlap: await overlap,
    finishedUnits,
  };
}

/** Returns the store's tag. */
async function sendPart(
  deps: PartWriterDeps,
  { partNumber, bytes }: CutPart,
  expectedTag: Promise<string> | null,
  signal: AbortSignal,
): Promise<string> {
  for (let wrongTags = 0; wrongTags < MAX_WRONG_TAGS; wrongTags += 1) {
    const { tag } = await withStoreRetries(
      deps,
      signal,
      () => deps.objects.uploadPart(deps.handle, partNumber, bytes, expectedTag),
      deps.onStoreAnswer,
    );
    // The store may have learned by this part that its tags prove nothing.
    const provesNothing = expectedTag === null || deps.objects.partTagAlgorithm === "none";
    if (provesNothing || tag === (await expectedTag)) return tag;
  }
  throw new ArchiveFailed(
    "storage",
    `The store holds different bytes than were sent for part ${partNumber}, ${MAX_WRONG_TAGS} times.`,
  );
}

/** The overlap is shorter if this part contains fewer bytes of the unit. */
async function overlapOf(digests: Digests, part: CutPart): Promise<Overlap | null> {
  if (part.endUnitSizeBytes === null) return null;
  const overlapBytes = Math.min(OVERLAP_BYTES, part.end.offset, part.bytes.byteLength);
  const overlap = part.bytes.subarray(part.bytes.byteLength - overlapBytes);
  return { unitSizeBytes: part.endUnitSizeBytes, sha256: await digests.sha256(overlap) };
}
