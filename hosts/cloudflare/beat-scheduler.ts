import { createLogger } from "#service/logger.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { LogSink } from "#service/ports/log-sink.ts";
import type { Scheduler } from "#service/ports/scheduler.ts";

/** A scheduler without timers: its owner calls `beat` to run the tasks that are due. */
export type BeatScheduler = Scheduler & {
  /** Starts the due tasks that are not already running; resolves when all of them have ended. */
  beat(): Promise<void>;
};

type Task = {
  readonly intervalMs: number;
  readonly name: string;
  readonly run: () => Promise<void>;
  dueMs: number;
  isRunning: boolean;
};

/** Two beats may be a little closer than usual; a task is not to wait for another one because of it. */
const EARLY_MS = 250;

/** Tasks run on the first beat, to find work left by an earlier process. */
export function createBeatScheduler(clock: Clock, logs: LogSink): BeatScheduler {
  const log = createLogger(clock, logs);
  const tasks: Task[] = [];

  async function runTask(task: Task): Promise<void> {
    task.isRunning = true;
    task.dueMs = clock.monotonic() + task.intervalMs;
    try {
      await task.run();
    } catch (error) {
      const seconds = Math.round(task.intervalMs / 1_000);
      log.error(`${task.name} failed; it runs again in ${seconds} s`, { error });
    } finally {
      task.isRunning = false;
    }
  }

  return {
    every(intervalMs, name, run) {
      tasks.push({ intervalMs, name, run, dueMs: -Infinity, isRunning: false });
    },
    async beat() {
      const nowMs = clock.monotonic();
      const due = tasks.filter((task) => !task.isRunning && task.dueMs - nowMs <= EARLY_MS);
      await Promise.all(due.map(runTask));
    },
  };
}
