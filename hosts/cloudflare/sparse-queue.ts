import type { Clock } from "#service/ports/clock.ts";
import type { ResumeQueue } from "#service/ports/resume-queue.ts";

/**
 * Uploads that one sweep may wake. More than are ever waiting; the queue's `max_concurrency` limits
 * how many run.
 */
export const WOKEN_AT_A_TIME = 20;

/** A wake-up sent this recently is not repeated. */
const ON_ITS_WAY_MS = 30_000;

/**
 * For the sweeper, which runs every few seconds: a waiting upload gets one message every half
 * minute instead of ten.
 */
export function withoutRepeats(queue: ResumeQueue, clock: Clock): ResumeQueue {
  const sentAtMs = new Map<string, number>();
  return {
    async send(message, delayMs) {
      const nowMs = clock.monotonic();
      for (const [uploadId, atMs] of sentAtMs)
        if (nowMs - atMs >= ON_ITS_WAY_MS) sentAtMs.delete(uploadId);
      if (sentAtMs.has(message.uploadId)) return;
      sentAtMs.set(message.uploadId, nowMs);
      await queue.send(message, delayMs);
    },
    backlog: () => queue.backlog(),
  };
}
