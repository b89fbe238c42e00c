import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Runtime } from "#service/platform.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { UploadWakeUp } from "#service/ports/resume-queue.ts";
import { findStartShortage } from "#service/space/disk-space.ts";
import type { Sources } from "#service/source/source.ts";
import { createStoreHold, type StoreHold } from "#service/store/store-hold.ts";
import { UPLOAD_STOPS_TOPIC } from "#service/storage/upload-actions.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import { HandedOver } from "#service/storage/run-end.ts";
import { runArchive } from "./archive-run.ts";
import {
  dueUploads,
  holdDue,
  LeaseLost,
  newLeaseOwner,
  queueOrder,
  takeLease,
} from "#service/storage/lease.ts";

/**
 * Runs archives in this process. The database decides which uploads need work; a wake-up message
 * is only a hint to look now.
 */
export type Archiver = {
  /**
   * Takes the lease of one upload and works on it until it ends, waits or is handed over. Returns
   * at once when there is nothing to do, no slot is free, or another runner has it.
   */
  consume(message: UploadWakeUp): Promise<void>;
  /**
   * Wakes due uploads, including those of crashed runners. Uses the database alone, so that a slow
   * store does not delay it. Call every few seconds, on any number of hosts.
   */
  sweep(): Promise<void>;
  /** While uploads wait because the store does not work: probes it. Call every few seconds. */
  endHold(): Promise<void>;
  /**
   * Accepts no more work and hands running archives over at their next checkpoint. Resolves with
   * their number. For shutdowns and restarts of the workers.
   */
  drain(): Promise<number>;
  /**
   * Asks runners in other processes to hand over at their next checkpoint and to continue with a
   * fresh run. Resolves with their number, which is 0 on a host of one process.
   */
  handOverElsewhere(): Promise<number>;
  /**
   * Resumes work after {@link Archiver.drain}, begun archives first. Resolves with the number of
   * uploads woken, at most {@link MOST_WOKEN}; the others are woken as slots become free.
   */
  resumeAll(): Promise<number>;
};

/** Hub topic of {@link Archiver.handOverElsewhere}. */
const HANDOVERS_TOPIC = "archive-handovers";

/** Maximum number of uploads that one restart wakes, regardless of the host's concurrency. */
const MOST_WOKEN = 100;

/** How often held uploads are checked for room on the disk and a working store. */
const HOLD_POLL_MS = 15_000;

type Running = { readonly slice: Slice; readonly ended: Promise<unknown> };

export function createArchiver(
  context: ServiceContext,
  sources: Sources,
  storeHold: StoreHold = createStoreHold(context),
  /** Called when a run has ended and others may take its place. */
  onPlaceFree: () => Promise<unknown> = () => Promise.resolve(),
): Archiver {
  const { platform, log } = context;
  const { clock, runtime } = platform;
  const owner = newLeaseOwner(platform);
  const running = new Map<string, Running>();
  let isDraining = false;

  let listening: Promise<void> | null = null;

  /**
   * Called at the first run, because many processes never run an archive. Without a subscription a
   * stop takes effect when the run's next write is refused, and a restart when the slice is over.
   */
  async function listenForStops(): Promise<void> {
    try {
      await platform.hub.subscribe(UPLOAD_STOPS_TOPIC, null, ({ data }) =>
        running.get(data)?.slice.stop(new LeaseLost("Stopped by an administrator")),
      );
      await platform.hub.subscribe(HANDOVERS_TOPIC, null, () => {
        for (const { slice } of running.values()) slice.requestHandover();
      });
    } catch (error) {
      listening = null;
      log.warn("Requests to stop will be noticed late", { error });
    }
  }

  /** Resolves with how the run ended, null if there was none. */
  async function run(uploadId: string, slice: Slice): Promise<"handed over" | "ended" | null> {
    await (listening ??= listenForStops());
    const lease = await takeLease(platform, owner, uploadId);
    if (lease === null) return null;
    await publishUpload(platform, uploadId);
    const isHandedOver = await runArchive(context, sources, lease, {
      signal: slice.signal,
      isHandoverDue: () => slice.isHandoverDue(),
      extendRun: () => slice.extend(),
      memoryBytes: () => runtime.copyBufferBytes / Math.max(1, running.size),
      onStoreProblem: (reason) => storeHold.hold(reason),
    });
    return isHandedOver ? "handed over" : "ended";
  }

  /** Resolves with whether a place became free. */
  async function start(uploadId: string): Promise<boolean> {
    const slice = createSlice(clock, runtime);
    if (isDraining) slice.requestHandover();
    const ended = run(uploadId, slice).finally(() => {
      running.delete(uploadId);
      slice.end();
      if (running.size === 0) runtime.releaseMemory?.();
    });
    running.set(uploadId, { slice, ended });
    // Only now, because a wake-up skips an upload that is running.
    const how = await ended;
    if (how === "handed over" && !isDraining) await platform.queue.send({ uploadId });
    return how === "ended";
  }

  /**
   * While the store does not work or the disk is nearly full, makes due uploads wait, shows them
   * the reason, and returns true: nothing may start.
   */
  async function holdDueUploads(): Promise<boolean> {
    const reason = storeHold.reason ?? (await findStartShortage(context));
    if (reason === null) return false;
    const untilMs = clock.now() + HOLD_POLL_MS;
    for (const uploadId of await holdDue(platform, owner, reason, untilMs))
      await publishUpload(platform, uploadId);
    return true;
  }

  /** Once the store works again, makes uploads due that wait because of their own store errors. */
  async function endHold(): Promise<void> {
    if (!(await storeHold.hasEnded())) return;
    await platform.database.run(sql`
      UPDATE uploads SET next_attempt_at = ${clock.now()}
      WHERE status = 'processing' AND phase = 'waiting' AND failure_class = 'storage'
        AND next_attempt_at > ${clock.now()}`);
  }

  async function wakeDue(limit: number): Promise<void> {
    for (const uploadId of await dueUploads(platform, owner, limit))
      await platform.queue.send({ uploadId });
  }

  return {
    endHold,

    async consume({ uploadId }) {
      // Also here: one that waits for its answers meanwhile must not start before those that were
      // handed over.
      if (isDraining) return;
      await endHold();
      if (await holdDueUploads()) return;
      if (isDraining || running.has(uploadId)) return;
      if (running.size >= runtime.archiveConcurrency) return;
      const isFree = await start(uploadId);
      const free = runtime.archiveConcurrency - running.size;
      if (!isDraining && free > 0) await wakeDue(free);
      if (!isDraining && isFree) await onPlaceFree();
    },

    async sweep() {
      const free = runtime.archiveConcurrency - running.size;
      if (!isDraining && free > 0 && !(await holdDueUploads())) await wakeDue(free);
    },

    async drain() {
      isDraining = true;
      const handedOver = [...running.values()];
      for (const { slice } of handedOver) slice.requestHandover();
      await Promise.allSettled(handedOver.map((each) => each.ended));
      return handedOver.length;
    },

    async handOverElsewhere() {
      if (runtime.isSoleWriter) return 0;
      await platform.hub.publish(HANDOVERS_TOPIC, "");
      const [found] = await platform.database.all(sql`
        SELECT count(*) AS runners FROM uploads
        WHERE status = 'processing' AND lease_until > ${clock.now()} AND lease_owner <> ${owner}`);
      return Number(found?.runners ?? 0);
    },

    async resumeAll() {
      // Includes uploads that another process is still handing over; they can be taken shortly.
      const open = await platform.database.all(sql`
        SELECT id FROM uploads
        WHERE kind <> 'manual' AND status IN ('pending', 'processing')
          AND (next_attempt_at IS NULL OR next_attempt_at <= ${clock.now()})
        ORDER BY ${queueOrder(clock.now())} LIMIT ${MOST_WOKEN}`);
      isDraining = false;
      await Promise.all(open.map((row) => platform.queue.send({ uploadId: String(row.id) })));
      return open.length;
    },
  };
}

/** The time that one run of an archive may take. */
type Slice = {
  /** Aborts with `HandedOver` when time is up, or with the reason of {@link Slice.stop}. */
  readonly signal: AbortSignal;
  /** True when the run should end at its next checkpoint. */
  isHandoverDue(): boolean;
  /** Lets the run exceed its slice, up to the longest run that the platform allows. */
  extend(): void;
  /** Ends the run at its next checkpoint, and after a few seconds without one. */
  requestHandover(): void;
  /** Ends the run at once. */
  stop(reason: Error): void;
  /** Call when the run has ended. */
  end(): void;
};

/** A run that reaches no checkpoint in this time is aborted and loses the part it was filling. */
const HANDOVER_WITHIN_MS = 5_000;

function createSlice(clock: Clock, runtime: Runtime): Slice {
  const control = new AbortController();
  const ended = new AbortController();
  const extended = new AbortController();
  const startedMs = clock.monotonic();
  let isRequested = false;

  async function cutOffAfter(ms: number, unless: AbortSignal): Promise<void> {
    if (ms === Infinity) return;
    await clock.sleep(ms, unless);
    if (!unless.aborted) control.abort(new HandedOver("The slice is over"));
  }

  void cutOffAfter(
    runtime.sliceMs + HANDOVER_WITHIN_MS,
    AbortSignal.any([ended.signal, extended.signal]),
  );
  void cutOffAfter(runtime.longestRunMs, ended.signal);
  return {
    signal: control.signal,
    isHandoverDue: () => isRequested || clock.monotonic() - startedMs >= runtime.sliceMs,
    extend: () => extended.abort(),
    requestHandover() {
      if (isRequested) return;
      isRequested = true;
      void cutOffAfter(HANDOVER_WITHIN_MS, ended.signal);
    },
    stop: (reason) => control.abort(reason),
    end: () => ended.abort(),
  };
}
