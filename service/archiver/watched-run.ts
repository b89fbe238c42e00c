import type { ServiceContext } from "#service/context.ts";
import type { VodSource } from "#service/twitch/twitch-client.ts";
import type { ArchiveProgress } from "./archive-progress.ts";
import { runArchive } from "./archive-run.ts";
import { watchSilence } from "./silence-watch.ts";
import type { UploadLease } from "./upload-lease.ts";

/** Tells a slice when to end. */
export type SliceControl = {
  /** Aborts with `LeaseLost` when the upload was taken away, `HandedOver` when time is up. */
  readonly signal: AbortSignal;
  readonly isHandoverDue: () => boolean;
  /**
   * Called before work that cannot be handed over halfway: all bytes are stored, or the source may
   * be damaged. A later checkpoint still hands over.
   */
  readonly outlastSlice: () => void;
  readonly memoryBytes: () => number;
  /** Called with a sentence when the run ends because of the store. */
  readonly onStoreTrouble: (reason: string) => void;
};

/** Thrown when a run had no activity for too long. */
export class Stalled extends Error {
  override readonly name = "Stalled";
}

/** A run that ignores its abort for this long is abandoned; it can no longer write. */
const ABANDON_AFTER_MS = 2_000;

/**
 * Runs an archive while writing its progress, renewing its lease and watching for silence.
 * @throws {Stalled} after `STALL_AFTER_MS` without activity, and the errors in run-end.ts
 */
export async function runWatched(
  context: ServiceContext,
  source: VodSource,
  lease: UploadLease,
  progress: ArchiveProgress,
  control: SliceControl,
): Promise<void> {
  const { clock } = context.platform;
  const stallAfterMs = context.settings.STALL_AFTER_MS;
  const ending = new AbortController();
  const endWith = (reason: unknown) => ending.abort(reason);
  const passOn = () => endWith(control.signal.reason);
  if (control.signal.aborted) passOn();
  control.signal.addEventListener("abort", passOn, { once: true });
  const helpers = new AbortController();

  const writing = progress.keepWriting(helpers.signal).catch(endWith);
  const watching = watchSilence(clock, progress, stallAfterMs, helpers.signal).then((isSilent) => {
    if (isSilent) endWith(new Stalled(stallReason(progress, stallAfterMs)));
    return isSilent;
  });
  const running = runArchive({
    context,
    source,
    lease,
    progress,
    signal: ending.signal,
    isHandoverDue: control.isHandoverDue,
    outlastSlice: control.outlastSlice,
    memoryBytes: control.memoryBytes,
  });
  const abandoned = new Promise<never>((_, reject) => {
    ending.signal.addEventListener("abort", () => {
      void clock
        .sleep(ABANDON_AFTER_MS, helpers.signal)
        .then(() => reject(asError(ending.signal.reason)));
    });
  });
  try {
    await Promise.race([running, abandoned]);
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error;
  } finally {
    helpers.abort();
    control.signal.removeEventListener("abort", passOn);
    running.catch(() => undefined);
    abandoned.catch(() => undefined);
    await Promise.all([writing, watching]);
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("The run was ended", { cause: reason });
}

function stallReason(progress: ArchiveProgress, stallAfterMs: number): string {
  const { phase, lastSegment } = progress.state;
  const after = lastSegment === null ? "from the start" : `after segment ${lastSegment}`;
  const seconds = Math.round(stallAfterMs / 1_000);
  const forHowLong = seconds >= 120 ? `${Math.round(seconds / 60)} minutes` : `${seconds} seconds`;
  return phase === "copying"
    ? `Twitch sent no data for ${forHowLong}, ${after}.`
    : `Nothing happened for ${forHowLong} while ${phase}.`;
}
