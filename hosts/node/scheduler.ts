import { createLogger } from "#service/logger.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { LogSink } from "#service/ports/log-sink.ts";
import type { Scheduler } from "#service/ports/scheduler.ts";

export type TimerScheduler = Scheduler & {
  /** Starts no further runs and waits for those in progress. */
  stop(): Promise<void>;
};

/** Tasks run at once, to find work left by an earlier process. */
export function createTimerScheduler(clock: Clock, logs: LogSink): TimerScheduler {
  const log = createLogger(clock, logs);
  const stopping = new AbortController();
  const loops: Promise<void>[] = [];

  async function loop(intervalMs: number, name: string, run: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedMs = clock.monotonic();
      try {
        await run();
      } catch (error) {
        const seconds = Math.round(intervalMs / 1_000);
        log.error(`${name} failed; it runs again in ${seconds} s`, { error });
      }
      const spentMs = clock.monotonic() - startedMs;
      await clock.sleep(Math.max(intervalMs - spentMs, 0), stopping.signal);
    }
  }

  return {
    every(intervalMs, name, run) {
      loops.push(loop(intervalMs, name, run));
    },
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}
