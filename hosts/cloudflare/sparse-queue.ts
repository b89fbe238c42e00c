import type { Clock } from "#service/ports/clock.ts";
import type { ResumeQueue } from "#service/ports/resume-queue.ts";

/**
 * Uploads that one sweep may wake. More than ever wait for a place: the queue's own
 * `max_concurrency` bounds what runs.
 */
export const WOKEN_AT_A_TIME = 20;

/** How long a wake-up counts as on its way: waiting messages are not joined by the same ones. */
const ON_ITS_WAY_MS = 30_000;

/**
 * For the sweeper, which asks every few seconds: an upload that waits for its turn gets one message
 * each half minute and not ten.
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
