import type { Clock } from "#service/ports/clock.ts";
import type { ProbeResult } from "./health-store.ts";

/** Whether the sweep that wakes due archives keeps running, in the process that runs the probes. */
export type WorkerProbe = {
  /** Call after each sweep. */
  noteSweep(): void;
  /** @throws when the last sweep is too long ago */
  probe(): Promise<ProbeResult>;
};

/** Allows for a slow database. */
const SILENT_AFTER_MS = 60_000;

export function createWorkerProbe(clock: Clock): WorkerProbe {
  const startedMs = clock.monotonic();
  let sweptMs: number | null = null;
  return {
    noteSweep() {
      sweptMs = clock.monotonic();
    },
    async probe() {
      const silentMs = clock.monotonic() - (sweptMs ?? startedMs);
      if (silentMs > SILENT_AFTER_MS)
        throw new Error(`The archive workers last reported ${Math.round(silentMs / 1_000)} s ago.`);
      return sweptMs === null
        ? { status: "unknown", detail: "The archive workers have not reported yet." }
        : { status: "healthy", detail: null };
    },
  };
}
