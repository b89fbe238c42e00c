import { expect, it } from "vitest";
import { systemClock } from "#hosts/ports/clock.ts";
import { describeScheduler } from "#hosts/conformance/scheduler-suite.ts";
import { createBeatScheduler } from "./beat-scheduler.ts";
import { createWorkerLogSink } from "./log-sink.ts";

const BEAT_MS = 3;

it("a task runs on each beat, even if a beat comes a little early", async () => {
  let nowMs = 0;
  const clock = { ...systemClock, monotonic: () => nowMs };
  const scheduler = createBeatScheduler(clock, createWorkerLogSink({ log: () => undefined }));
  const runsAtMs: number[] = [];
  scheduler.every(3_000, "task", async () => void runsAtMs.push(nowMs));
  for (nowMs of [5, 3_001, 4_000, 6_000]) await scheduler.beat();
  expect(runsAtMs).toEqual([5, 3_001, 6_000]);
});

describeScheduler("A beat", async () => {
  const logs = createWorkerLogSink({ log: () => undefined });
  const scheduler = createBeatScheduler(systemClock, logs);
  const ending = new AbortController();
  const beating = (async () => {
    while (!ending.signal.aborted) {
      void scheduler.beat();
      await systemClock.sleep(BEAT_MS, ending.signal);
    }
  })();
  return {
    scheduler,
    async close() {
      ending.abort();
      await beating;
    },
  };
});
