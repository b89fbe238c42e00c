import { systemClock } from "#hosts/ports/clock.ts";
import { describeScheduler } from "#hosts/conformance/scheduler-suite.ts";
import { createBeatScheduler } from "./beat-scheduler.ts";
import { createWorkerLogSink } from "./log-sink.ts";

const BEAT_MS = 3;

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
