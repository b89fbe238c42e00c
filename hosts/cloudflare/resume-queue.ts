import * as z from "zod/mini";
import type { Clock, LogSink, ResumeQueue, WakeUp } from "#service/platform.ts";

/** Queues refuse longer delays (developers.cloudflare.com/queues/platform/limits). */
const MAX_DELAY_SEC = 12 * 3_600;

/** The queue answers "Queue is overloaded" now and then; what is lost the sweeper sends again. */
const SEND_TRIES = 3;
const FIRST_PAUSE_MS = 200;

/** The VOD Resume Queue as a Cloudflare queue. */
export function openResumeQueue(queue: Queue<WakeUp>, clock: Clock): ResumeQueue {
  return {
    async send({ uploadId }, delayMs = 0) {
      const delaySeconds = Math.min(MAX_DELAY_SEC, Math.ceil(delayMs / 1_000));
      for (let tries = 1; ; tries += 1) {
        try {
          await queue.send({ uploadId }, { delaySeconds });
          return;
        } catch (error) {
          if (tries >= SEND_TRIES) throw error;
          await clock.sleep(FIRST_PAUSE_MS * 2 ** (tries - 1));
        }
      }
    },
    async backlog() {
      const { backlogCount, oldestMessageTimestamp } = await queue.metrics();
      return { count: backlogCount, oldestAt: oldestMessageTimestamp ?? null };
    },
  };
}

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

const wakeUpSchema = z.object({ uploadId: z.string() });

/** Pause before a message whose consumer failed is delivered again. */
const RETRY_DELAY_SEC = 5;

/**
 * Hands a batch to `consume`, one message after the other. A message that could not be worked on
 * comes again, and after `max_retries` goes to the dead-letter queue.
 */
export async function consumeBatch(
  batch: MessageBatch,
  consume: (message: WakeUp) => Promise<void>,
  logs: LogSink,
): Promise<void> {
  for (const message of batch.messages) {
    try {
      await consume(wakeUpSchema.parse(message.body));
      message.ack();
    } catch (error) {
      logs.write({
        level: "warn",
        at: new Date(),
        message: "A wake-up failed",
        meta: { body: message.body, attempts: message.attempts, error: String(error) },
      });
      message.retry({ delaySeconds: RETRY_DELAY_SEC });
    }
  }
}
