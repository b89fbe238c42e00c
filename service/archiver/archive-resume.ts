import type { Database } from "#service/ports/database.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { ArchiveRun } from "./archive-context.ts";
import {
  forgetParts,
  readCheckpoint,
  OVERLAP_BYTES,
  sizeOfParts,
  type ConfirmedPart,
} from "#service/storage/checkpoint.ts";
import type { Cursor } from "#service/storage/part-cutter.ts";
import type { UnitBody } from "./unit-response.ts";
import type { UnitFetch } from "./unit-fetch.ts";
import { batchUnderLease } from "#service/storage/lease.ts";

/**
 * Where a copy continues. When the last part ended inside a unit, that unit is fetched again. If it
 * is no longer the unit whose beginning was stored (e.g. it was muted), parts are discarded until
 * one ends before it.
 */
export type ResumePoint = {
  readonly parts: readonly ConfirmedPart[];
  readonly cursor: Cursor;
  /** The unit at the cursor, already fetched, when the cursor lies inside it. */
  readonly partialUnit: { readonly body: UnitBody | null } | null;
};

export async function findResumePoint(
  deps: ArchiveRun,
  fetch: UnitFetch,
  giveBack: (body: UnitBody) => void,
): Promise<ResumePoint> {
  const { database, digests } = deps.context.platform;
  let parts = await readCheckpoint(database, deps.lease.uploadId);
  const confirmedParts = parts.length;
  for (;;) {
    const cursor = parts.at(-1)?.end ?? { unit: 0, offset: 0 };
    if (cursor.offset === 0) {
      await forget(database, deps, parts, confirmedParts);
      return { parts, cursor, partialUnit: null };
    }
    const body = await fetch(cursor.unit, deps.signal, () => undefined);
    if (body === null || (await isSameUnit(digests, body.bytes, parts.at(-1)))) {
      await forget(database, deps, parts, confirmedParts);
      return { parts, cursor, partialUnit: { body } };
    }
    giveBack(body);
    deps.context.log.warn("A segment changed at the source since its beginning was stored", {
      uploadId: deps.lease.uploadId,
      unit: cursor.unit,
    });
    parts = parts.filter((part) => part.end.unit < cursor.unit);
  }
}

async function forget(
  database: Database,
  deps: ArchiveRun,
  parts: readonly ConfirmedPart[],
  confirmedParts: number,
): Promise<void> {
  if (parts.length === confirmedParts) return;
  await batchUnderLease(database, forgetParts(deps.lease, parts.length + 1, sizeOfParts(parts)));
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
