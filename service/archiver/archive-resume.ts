import type { BufferPool } from "#service/storage/buffer-pool.ts";
import type { Digests } from "#service/ports/digests.ts";
import {
  forgetParts,
  OVERLAP_BYTES,
  readCheckpoint,
  sizeOfParts,
  type ConfirmedPart,
  type Cursor,
} from "#service/storage/checkpoint.ts";
import { batchUnderLease } from "#service/storage/lease.ts";
import type { ArchiveRun } from "./archive-run.ts";
import { isGap, type FetchedUnit, type UnitFetch } from "./unit-fetch.ts";
import type { UnitBody } from "./unit-body.ts";
import { type BegunPart, readUnsealedPart } from "./unsealed-part.ts";

/**
 * Where a copy continues. When the last part ended inside a unit, that unit is fetched again. If it
 * is no longer the unit whose beginning was stored (e.g. it was muted), parts are discarded until
 * one ends before it.
 */
export type ResumePoint = {
  readonly parts: readonly ConfirmedPart[];
  readonly cursor: Cursor;
  /** The unit at the cursor, already fetched, when the cursor lies inside it. */
  readonly partialUnit: FetchedUnit | null;
  /** The beginning of the next part, which ends at the cursor, if the last run kept it. */
  readonly begun: BegunPart | null;
};

/** @throws {LeaseLost} and what `fetch` throws */
export async function findResumePoint(
  run: ArchiveRun,
  fetch: UnitFetch,
  giveBack: (body: UnitBody) => void,
  partBuffers: { readonly pool: BufferPool; readonly partSizeBytes: number },
): Promise<ResumePoint> {
  const { database, digests } = run.context.platform;
  const recorded = await readCheckpoint(database, run.lease.uploadId);
  const begun = await readUnsealedPart(run, recorded, partBuffers);
  if (begun !== null) {
    // It completes the unit that the last part ended in.
    const unit = cursorAfter(recorded).unit + begun.finishedUnits.length;
    return { parts: recorded, cursor: { unit, offset: 0 }, partialUnit: null, begun };
  }
  let parts = recorded;
  let partialUnit: ResumePoint["partialUnit"] = null;
  let cursor = cursorAfter(parts);
  while (cursor.offset > 0) {
    const fetched = await fetch(cursor.unit, run.signal, () => undefined);
    if (isGap(fetched) || (await isSameUnit(digests, fetched.bytes, parts.at(-1)))) {
      partialUnit = fetched;
      break;
    }
    giveBack(fetched);
    const { unit } = cursor;
    run.context.log.warn("A segment changed at the source since its beginning was stored", {
      uploadId: run.lease.uploadId,
      unit,
    });
    parts = parts.filter((part) => part.end.unit < unit);
    cursor = cursorAfter(parts);
  }
  if (parts.length < recorded.length) await keepOnly(run, parts);
  return { parts, cursor, partialUnit, begun };
}

/** Forgets the parts behind the beginning of a unit, so that the next copy continues with it. */
export async function takeBackTo(run: ArchiveRun, unit: number): Promise<void> {
  const recorded = await readCheckpoint(run.context.platform.database, run.lease.uploadId);
  await keepOnly(
    run,
    recorded.filter((part) => part.end.unit <= unit),
  );
}

async function keepOnly(run: ArchiveRun, parts: readonly ConfirmedPart[]): Promise<void> {
  await batchUnderLease(
    run.context.platform.database,
    run.lease,
    forgetParts(run.lease, parts.length + 1, sizeOfParts(parts)),
  );
}

function cursorAfter(parts: readonly ConfirmedPart[]): Cursor {
  return parts.at(-1)?.end ?? { unit: 0, offset: 0 };
}

/** Whether the unit fetched now is the one whose beginning is stored. */
async function isSameUnit(
  digests: Digests,
  bytes: Uint8Array,
  last: ConfirmedPart | undefined,
): Promise<boolean> {
  if (last === undefined || last.overlap === null) return false;
  if (last.overlap.unitSizeBytes !== bytes.byteLength) return false;
  const overlapBytes = Math.min(OVERLAP_BYTES, last.end.offset, last.sizeBytes);
  const overlap = bytes.subarray(last.end.offset - overlapBytes, last.end.offset);
  return (await digests.sha256(overlap)) === last.overlap.sha256;
}
