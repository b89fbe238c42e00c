import type { Digests } from "#service/ports/digests.ts";
import type { ArchiveRun } from "./archive-run.ts";
import type { ArchiveManifest } from "./archive-manifest.ts";
import { confirmEnd, refreshPlan } from "./archive-plan.ts";
import { MAX_PARTS, type OpenMultipart } from "#service/storage/multipart.ts";
import { createCopyTally } from "./copy-tally.ts";
import {
  createBufferAccount,
  createBufferPool,
  type BufferPool,
} from "#service/storage/buffer-pool.ts";
import {
  forgetParts,
  OVERLAP_BYTES,
  readCheckpoint,
  recordCheckpoint,
  sizeOfParts,
  storedUnits,
  type ConfirmedPart,
  type Cursor,
  type StoredUnit,
} from "#service/storage/checkpoint.ts";
import { createFetchAhead } from "./fetch-ahead.ts";
import { createPartCutter, createPartWriter, partsInFlight } from "#service/storage/part-writer.ts";
import { requestUnit, type UnitBody } from "./unit-request.ts";
import { createUnitFetch, type UnitFetch } from "./unit-fetch.ts";
import { batchUnderLease, LeaseLost } from "#service/storage/lease.ts";
import { ArchiveFailed, HandedOver } from "#service/storage/run-outcome.ts";

/** All parts and the units in them, in the order of the plan. */
export type CopiedArchive = {
  readonly parts: readonly ConfirmedPart[];
  readonly units: readonly StoredUnit[];
};

/**
 * One segment of a 1080p60 source (docs/twitch.md#segments), which is copied however little memory
 * there is. Its buffer is kept for the next one.
 */
const MIN_SEGMENT_BUFFERS_BYTES = 12 * 1024 * 1024;

/**
 * Copies every unit of the plan that is not yet stored, including units added while the broadcast
 * continues.
 * @throws the errors in run-outcome.ts
 */
export async function copyUnits(
  deps: ArchiveRun,
  manifest: ArchiveManifest,
  multipart: OpenMultipart,
): Promise<CopiedArchive> {
  const { platform } = deps.context;
  // No part is being filled while the maximum number is in flight.
  const mostInFlight = () => partsInFlight(multipart.partSizeBytes, deps.memoryBytes());
  const partBuffersBytes = () => mostInFlight() * multipart.partSizeBytes;
  const fetchBudgetBytes = () => deps.memoryBytes() - partBuffersBytes();
  const account = createBufferAccount();
  const pool = createBufferPool(() => Math.max(MIN_SEGMENT_BUFFERS_BYTES, fetchBudgetBytes()), {
    account,
  });
  const isShared = platform.digests.prefersShared === true;
  const partPool = createBufferPool(partBuffersBytes, { account, isShared });
  const giveBack = (body: UnitBody) => pool.give(body.buffer);
  const position: Position = { unit: 0, refreshing: null };
  const fetch = unitFetch(deps, manifest, pool, position);
  const resume = await findResumePoint(deps, fetch, giveBack);
  const parts = [...resume.parts];
  const units = storedUnits(parts);
  const tally = createCopyTally(deps.progress, manifest, units);
  position.unit = resume.cursor.unit;

  let unrecorded: readonly ConfirmedPart[] = [];
  async function putOnRecord(): Promise<void> {
    if (unrecorded.length === 0) return;
    const confirmed = unrecorded;
    unrecorded = [];
    await batchUnderLease(
      platform.database,
      deps.lease,
      recordCheckpoint(deps.lease, confirmed, sizeOfParts(parts), platform.clock.now()),
    );
  }

  const stopping = new AbortController();
  const signal = AbortSignal.any([deps.signal, stopping.signal]);
  const writer = createPartWriter(
    {
      objects: platform.objects,
      digests: platform.digests,
      clock: platform.clock,
      random: platform.random,
      pool: partPool,
      handle: multipart.handle,
      mostInFlight,
      onStoreAnswer: (trouble) => deps.progress.storeAnswered(trouble),
      record: async (part) => {
        parts.push(part);
        unrecorded = [...unrecorded, part];
        deps.progress.touch();
        const isHandoverDue = deps.isHandoverDue();
        if (isHandoverDue || sizeOfParts(unrecorded) >= platform.runtime.checkpointBytes)
          await putOnRecord();
        if (isHandoverDue) throw new HandedOver("Asked to stop at a checkpoint");
      },
    },
    signal,
  );
  const cutter = createPartCutter({
    partSizeBytes: multipart.partSizeBytes,
    start: resume.cursor,
    firstPartNumber: parts.length + 1,
    pool: partPool,
    emit: async (part) => {
      if (part.partNumber > MAX_PARTS)
        throw new ArchiveFailed(
          "ours",
          `The VOD is larger than ${MAX_PARTS} parts of ${multipart.partSizeBytes} bytes.`,
        );
      await writer.submit(part);
    },
  });

  /** Fetches a unit again that was renamed, e.g. muted, while its bytes waited. */
  const asPlanned = async (index: number, delivered: UnitBody | null): Promise<UnitBody | null> => {
    for (let body = delivered; ; body = await fetch(index, signal, () => undefined)) {
      await position.refreshing;
      if (body === null || body.url === manifest.units[index]?.url) return body;
      giveBack(body);
    }
  };

  const take = async (index: number, body: UnitBody | null): Promise<void> => {
    // From here on the unit keeps its name.
    position.unit = index + 1;
    try {
      await cutter.add(body?.bytes ?? null);
    } finally {
      if (body !== null) giveBack(body);
    }
    units.push(
      body === null
        ? (cutter.unsealedUnits.at(-1) ?? { sizeBytes: 0, isMissing: true })
        : { sizeBytes: body.bytes.byteLength, isMissing: false },
    );
    tally.unitDone();
  };

  try {
    if (resume.partialUnit !== null) await take(resume.cursor.unit, resume.partialUnit.body);
    do {
      const ahead = createFetchAhead(
        {
          from: position.unit,
          to: manifest.units.length,
          isEmpty: (index) => manifest.units[index]?.isGap ?? true,
          expectedBytes: (index) => tally.expectedBytes(index),
          fetch,
          giveBack,
          connections: platform.runtime.connectionsPerArchive,
          budgetBytes: fetchBudgetBytes,
        },
        signal,
      );
      try {
        while (position.unit < manifest.units.length) {
          const { index, body } = await ahead.next();
          await take(index, await asPlanned(index, body));
          ahead.release();
        }
      } finally {
        await ahead.close();
      }
    } while ((await confirmEnd(deps, manifest)) === "grown");
    await cutter.finish();
    await writer.settle();
    await putOnRecord();
    return { parts, units };
  } catch (error) {
    // Nothing may be recorded once the lease is released or the copy starts over.
    await writer.settle().catch(() => undefined);
    // Record the confirmed parts, so that the next run does not copy them again.
    if (!(error instanceof LeaseLost)) await putOnRecord().catch(() => undefined);
    throw error;
  } finally {
    stopping.abort(new Error("The run has ended"));
    cutter.discard();
    deps.context.log.debug("A copy has ended", {
      uploadId: deps.row.id,
      peakBufferBytes: account.peakBytes(),
    });
  }
}

/** The first unit that may still be renamed, and the refresh of the plan that is under way. */
type Position = { unit: number; refreshing: Promise<"alive" | "gone"> | null };

function unitFetch(
  deps: ArchiveRun,
  manifest: ArchiveManifest,
  pool: BufferPool,
  position: Position,
): UnitFetch {
  const { clock, random, digests } = deps.context.platform;
  return createUnitFetch({
    clock,
    random,
    digests,
    unitAt: (index) => {
      const unit = manifest.units[index];
      if (unit === undefined) throw new Error(`The plan has no unit ${index}`);
      return unit;
    },
    request: (unit, signal, onSize) =>
      requestUnit(
        {
          source: deps.source,
          clock,
          pool,
          onBytes: (count) => deps.progress.bytesArrived(count),
          onSize,
        },
        unit,
        signal,
      ),
    giveBack: (body) => pool.give(body.buffer),
    // Several units may be absent at once; they share one refresh.
    refreshPlan: () => {
      position.refreshing ??= refreshPlan(deps, manifest, position.unit).finally(() => {
        position.refreshing = null;
      });
      return position.refreshing;
    },
    onAnswer: (trouble) => deps.progress.sourceAnswered(trouble),
    onDoubt: deps.outlastSlice,
    onWarning: (message) => deps.context.log.warn(message, { uploadId: deps.row.id }),
  });
}

/**
 * Where a copy continues. When the last part ended inside a unit, that unit is fetched again. If it
 * is no longer the unit whose beginning was stored (e.g. it was muted), parts are discarded until
 * one ends before it.
 */
type ResumePoint = {
  readonly parts: readonly ConfirmedPart[];
  readonly cursor: Cursor;
  /** The unit at the cursor, already fetched, when the cursor lies inside it. */
  readonly partialUnit: { readonly body: UnitBody | null } | null;
};

async function findResumePoint(
  deps: ArchiveRun,
  fetch: UnitFetch,
  giveBack: (body: UnitBody) => void,
): Promise<ResumePoint> {
  const { database, digests } = deps.context.platform;
  const recorded = await readCheckpoint(database, deps.lease.uploadId);
  let parts = recorded;
  let partialUnit: ResumePoint["partialUnit"] = null;
  let cursor = endOf(parts);
  while (cursor.offset > 0) {
    const body = await fetch(cursor.unit, deps.signal, () => undefined);
    if (body === null || (await isSameUnit(digests, body.bytes, parts.at(-1)))) {
      partialUnit = { body };
      break;
    }
    giveBack(body);
    const { unit } = cursor;
    deps.context.log.warn("A segment changed at the source since its beginning was stored", {
      uploadId: deps.lease.uploadId,
      unit,
    });
    parts = parts.filter((part) => part.end.unit < unit);
    cursor = endOf(parts);
  }
  if (parts.length < recorded.length)
    await batchUnderLease(
      database,
      deps.lease,
      forgetParts(deps.lease, parts.length + 1, sizeOfParts(parts)),
    );
  return { parts, cursor, partialUnit };
}

function endOf(parts: readonly ConfirmedPart[]): Cursor {
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
