import type { Runtime } from "#service/platform.ts";
import type { Clock } from "#service/ports/clock.ts";
import { HandedOver } from "#service/storage/run-end.ts";

/** The time that one run of an archive may take. */
export type Slice = {
  /** Aborts with `HandedOver` when time is up, or with the reason of {@link Slice.stop}. */
  readonly signal: AbortSignal;
  /** True when the run should end at its next checkpoint. */
  isHandoverDue(): boolean;
  /** Lets the run exceed its slice, up to the longest run that the platform allows. */
  outlast(): void;
  /** Ends the run at its next checkpoint, and after a few seconds without one. */
  requestHandover(): void;
  /** Ends the run at once. */
  stop(reason: Error): void;
  /** Call when the run has ended. */
  end(): void;
};

/** A run that reaches no checkpoint in this time is aborted and loses the part it was filling. */
const HANDOVER_WITHIN_MS = 5_000;

export function createSlice(clock: Clock, runtime: Runtime): Slice {
  const control = new AbortController();
  const ended = new AbortController();
  const outlasting = new AbortController();
  const startedMs = clock.monotonic();
  let isRequested = false;

  async function cutOffAfter(ms: number, unless: AbortSignal): Promise<void> {
    if (ms === Infinity) return;
    await clock.sleep(ms, unless);
    if (!unless.aborted) control.abort(new HandedOver("The slice is over"));
  }

  void cutOffAfter(
    runtime.sliceMs + HANDOVER_WITHIN_MS,
    AbortSignal.any([ended.signal, outlasting.signal]),
  );
  void cutOffAfter(runtime.longestRunMs, ended.signal);
  return {
    signal: control.signal,
    isHandoverDue: () => isRequested || clock.monotonic() - startedMs >= runtime.sliceMs,
    outlast: () => outlasting.abort(),
    requestHandover() {
      if (isRequested) return;
      isRequested = true;
      void cutOffAfter(HANDOVER_WITHIN_MS, ended.signal);
    },
    stop: (reason) => control.abort(reason),
    end: () => ended.abort(),
  };
}
