import { expect, it } from "vitest";
import { watchSilence } from "./lease-run.ts";

const MINUTE_MS = 60_000;
const SILENT_AFTER_MS = 10 * MINUTE_MS;

/** Time passes only in sleeps; `standstills` maps the n-th sleep to its additional duration. */
function silentSource(standstills: ReadonlyMap<number, number> = new Map()) {
  let nowMs = 0;
  let heardMs = 0;
  let pauses = 0;
  return {
    clock: {
      now: () => nowMs,
      monotonic: () => nowMs,
      async sleep(ms: number) {
        pauses += 1;
        nowMs += ms + (standstills.get(pauses) ?? 0);
      },
    },
    progress: {
      silentForMs: () => nowMs - heardMs,
      touch: () => {
        heardMs = nowMs;
      },
    },
  };
}

async function silentAfterMs(standstills?: ReadonlyMap<number, number>): Promise<number> {
  const { clock, progress } = silentSource(standstills);
  const signal = new AbortController().signal;
  expect(await watchSilence(clock, progress, SILENT_AFTER_MS, signal)).toBe(true);
  return clock.monotonic();
}

it("reports silence after exactly ten minutes without a byte", async () => {
  expect(await silentAfterMs()).toBe(SILENT_AFTER_MS);
});

it("reports silence less than 15 seconds late on a busy machine", async () => {
  const busy = new Map(Array.from({ length: 30 }, (_, pause) => [pause + 1, 2_000]));
  expect(await silentAfterMs(busy)).toBeLessThan(SILENT_AFTER_MS + 15_000);
});

it.each([1, 20])("does not count a process suspension of %d min as silence", async (minutes) => {
  const stoppedMs = minutes * MINUTE_MS;
  const secondPauseEndsMs = 30_000;
  expect(await silentAfterMs(new Map([[2, stoppedMs]]))).toBe(
    secondPauseEndsMs + stoppedMs + SILENT_AFTER_MS,
  );
});

it("stops watching when its signal is aborted", async () => {
  const { clock, progress } = silentSource();
  const over = new AbortController();
  const ending = { ...clock, sleep: async () => over.abort() };
  expect(await watchSilence(ending, progress, SILENT_AFTER_MS, over.signal)).toBe(false);
});
