import type { ArchiveRun } from "./archive-run.ts";
import type { ArchiveManifest } from "./archive-manifest.ts";
import { confirmEnd } from "./archive-growth.ts";
import { refreshPlan } from "./archive-plan.ts";
import { findResumePoint, takeBackTo } from "./archive-resume.ts";
import { MAX_PARTS, type OpenMultipart } from "#service/storage/multipart.ts";
import { createCopyBuffers, type CopyBuffers } from "./copy-buffers.ts";
import { createCopyTally } from "./copy-tally.ts";
import {
  createCheckpoint,
  gapUnit,
  storedUnits,
  type Checkpoint,
  type ConfirmedPart,
  type StoredUnit,
} from "#service/storage/checkpoint.ts";
import { requireRoom } from "#service/space/archive-room.ts";
import { createFetchAhead } from "./fetch-ahead.ts";
import { createPartCutter, createPartWriter } from "#service/storage/part-writer.ts";
import type { UnitBody } from "./unit-body.ts";
import { isAnswered, requestUnit } from "./unit-request.ts";
import { lookAgain, MAX_TAKE_BACKS, UnitRecovered } from "./second-look.ts";
import { createUnitFetch, isGap, type FetchedUnit, type UnitFetch } from "./unit-fetch.ts";
import { keepUnsealedPart } from "./unsealed-part.ts";
import { LeaseLost } from "#service/storage/lease.ts";
import { ArchiveFailed, AwaitGrowth, HandedOver } from "#service/storage/run-end.ts";

/** All parts and the units in them, in the order of the plan. */
export type CopiedArchive = {
  readonly parts: readonly ConfirmedPart[];
  readonly units: readonly StoredUnit[];
};

/**
 * Copies every unit of the plan that is not yet stored, including units added while the broadcast
 * continues.
 * @throws the errors in run-end.ts
 */
export async function copyUnits(
  run: ArchiveRun,
  manifest: ArchiveManifest,
  multipart: OpenMultipart,
): Promise<CopiedArchive> {
  for (let takeBacks = 0; ; takeBacks += 1) {
    try {
      return await copyFromCheckpoint(run, manifest, multipart, takeBacks < MAX_TAKE_BACKS);
    } catch (error) {
      if (!(error instanceof UnitRecovered)) throw error;
      await takeBackTo(run, error.unit);
    }
  }
}

async function copyFromCheckpoint(
  run: ArchiveRun,
  manifest: ArchiveManifest,
  multipart: OpenMultipart,
  mayTakeBack: boolean,
): Promise<CopiedArchive> {
  const { platform, log } = run.context;
  const connections = platform.runtime.connectionsPerArchive;
  const buffers = createCopyBuffers(run, multipart);
  const giveBack = (body: UnitBody) => buffers.segments.give(body.buffer);
  const position = createPlanPosition(run, manifest);
  const fetch = unitFetch(run, manifest, position, buffers);
  const resume = await findResumePoint(run, fetch, giveBack, {
    pool: buffers.parts,
    partSizeBytes: multipart.partSizeBytes,
  });
  const checkpoint = createCheckpoint(platform, run.lease, resume.parts);
  const units = [...storedUnits(resume.parts), ...(resume.begun?.finishedUnits ?? [])];
  const tally = createCopyTally(run.progress, manifest, units);
  position.unit = resume.cursor.unit;

  const stopping = new AbortController();
  const signal = AbortSignal.any([run.signal, stopping.signal]);
  const writer = createPartWriter(
    {
      ...platform,
      pool: buffers.parts,
      handle: multipart.handle,
      mostInFlight: buffers.mostPartsInFlight,
      onStoreAnswer: (problem) => run.progress.storeAnswered(problem),
      record: (part) => recordPart(run, checkpoint, part),
    },
    signal,
  );
  const cutter = createPartCutter({
    partSizeBytes: multipart.partSizeBytes,
    start: resume.cursor,
    firstPartNumber: resume.parts.length + 1,
    pool: buffers.parts,
    ...(resume.begun !== null && { begun: resume.begun }),
    emit: async (part) => {
      assertPartNumber(part.partNumber, multipart.partSizeBytes);
      await writer.submit(part);
    },
  });

  async function take(index: number, fetched: FetchedUnit): Promise<void> {
    // From here on the unit keeps its name.
    position.unit = index + 1;
    if (isGap(fetched)) {
      await cutter.add(fetched);
      units.push(cutter.unsealed?.finishedUnits.at(-1) ?? gapUnit(fetched, 0));
    } else {
      const { bytes } = fetched;
      try {
        await cutter.add(bytes);
      } finally {
        giveBack(fetched);
      }
      units.push({ sizeBytes: bytes.byteLength, isMissing: false });
    }
    tally.unitDone();
  }

  /** Fetches a unit again that was renamed, e.g. muted, while its bytes waited. */
  async function asPlanned(index: number, delivered: FetchedUnit): Promise<FetchedUnit> {
    for (let unit = delivered; ; unit = await fetch(index, signal, () => undefined)) {
      await position.refreshed();
      if (isGap(unit) || unit.url === manifest.units[index]?.url) return unit;
      giveBack(unit);
    }
  }

  /** Without it, the next run fetches these units again. */
  async function keepUnsealed(): Promise<void> {
    const { unsealed } = cutter;
    if (unsealed === null) return;
    const isSamePart = checkpoint.parts.length === resume.parts.length;
    try {
      await keepUnsealedPart(run, checkpoint.parts, unsealed, isSamePart ? resume.begun : null);
    } catch (error) {
      if (error instanceof LeaseLost || run.signal.aborted) throw error;
      log.warn("An unfinished part could not be kept", { uploadId: run.row.id, error });
    }
  }

  async function copyPlanned(): Promise<void> {
    const ahead = createFetchAhead(
      {
        from: position.unit,
        to: manifest.units.length,
        isEmpty: (index) => manifest.units[index]?.isGap ?? true,
        expectedBytes: (index) => tally.expectedBytes(index),
        fetch,
        giveBack,
        connections,
        budgetBytes: buffers.segmentsBytes,
      },
      signal,
    );
    try {
      while (position.unit < manifest.units.length) {
        const { index, fetched } = await ahead.next();
        await take(index, await asPlanned(index, fetched));
        ahead.release();
      }
    } finally {
      await ahead.close();
    }
  }

  try {
    if (resume.partialUnit !== null) await take(resume.cursor.unit, resume.partialUnit);
    do await copyPlanned();
    while ((await confirmEnd(run, manifest)) === "grown");
    if (mayTakeBack) await lookAgain(units, fetch, giveBack, connections, signal);
    await cutter.finish();
    await writer.settle();
    await checkpoint.record();
    return { parts: checkpoint.parts, units };
  } catch (error) {
    // Nothing may be recorded once the lease is released or the copy starts over.
    const isStored = await succeeds(writer.settle());
    // Record the confirmed parts, so that the next run does not copy them again.
    const isRecorded = !(error instanceof LeaseLost) && (await succeeds(checkpoint.record()));
    // What follows a part that is not on record has no place in the object yet.
    if (error instanceof AwaitGrowth && isStored && isRecorded) await keepUnsealed();
    throw error;
  } finally {
    stopping.abort(new Error("The run has ended"));
    cutter.discard();
    log.debug("A copy has ended", {
      uploadId: run.row.id,
      peakBufferBytes: buffers.peakBytes(),
    });
  }
}

async function succeeds(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch {
    return false;
  }
}

/**
 * @throws {HandedOver} after a checkpoint, if the run is asked to stop at one
 * @throws {TryLater} if an archive nearer its end needs the disk's room
 */
async function recordPart(
  { context, progress, isHandoverDue, row }: ArchiveRun,
  checkpoint: Checkpoint,
  part: ConfirmedPart,
): Promise<void> {
  checkpoint.add(part);
  progress.touch();
  const endsHere = isHandoverDue();
  if (endsHere || checkpoint.unrecordedBytes() >= context.platform.runtime.checkpointBytes)
    await checkpoint.record();
  if (endsHere) throw new HandedOver("Asked to stop at a checkpoint");
  await requireRoom(context, row.id, "while copying");
}

function assertPartNumber(partNumber: number, partSizeBytes: number): void {
  if (partNumber > MAX_PARTS)
    throw new ArchiveFailed(
      "ours",
      `The VOD is larger than ${MAX_PARTS} parts of ${partSizeBytes} bytes.`,
    );
}

/** Where a copy is in its plan. */
type PlanPosition = {
  /** The first unit that may still be renamed. */
  unit: number;
  /** {@link refreshPlan} from `unit` on. Several units may be absent at once; they share one call. */
  refresh(): Promise<"alive" | "gone">;
  /** Resolves when no refresh is under way. */
  refreshed(): Promise<void>;
};

function createPlanPosition(run: ArchiveRun, manifest: ArchiveManifest): PlanPosition {
  let refreshing: Promise<"alive" | "gone"> | null = null;
  return {
    unit: 0,
    refresh() {
      refreshing ??= refreshPlan(run, manifest, this.unit).finally(() => {
        refreshing = null;
      });
      return refreshing;
    },
    async refreshed() {
      await refreshing;
    },
  };
}

function unitFetch(
  { context, source, row, progress, extendRun }: ArchiveRun,
  manifest: ArchiveManifest,
  position: PlanPosition,
  { segments: pool }: CopyBuffers,
): UnitFetch {
  const { clock, random, digests } = context.platform;
  const deps = { source, clock, pool, onBytes: (count: number) => progress.bytesArrived(count) };
  return createUnitFetch({
    clock,
    random,
    digests,
    units: manifest.units,
    request: (unit, signal, onSize) => requestUnit({ ...deps, onSize }, unit, signal),
    isAnswered: (unit, signal) => isAnswered(source, unit, signal),
    giveBack: (body) => pool.give(body.buffer),
    refreshPlan: () => position.refresh(),
    onAnswer: (problem) => progress.sourceAnswered(problem),
    onSuspectUnit: extendRun,
    onWarning: (message) => context.log.warn(message, { uploadId: row.id }),
  });
}
