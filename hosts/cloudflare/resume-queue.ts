import type { Clock } from "#service/ports/clock.ts";
import type { ResumeQueue, WakeUp } from "#service/ports/resume-queue.ts";

/** The longest delay of a message (developers.cloudflare.com/queues/platform/limits). */
const MAX_DELAY_SEC = 12 * 3_600;

/** Queues occasionally fail with "Queue is overloaded"; the sweeper resends lost messages. */
const SEND_TRIES = 3;
const FIRST_PAUSE_MS = 200;

/** The VOD Resume Queue as a Cloudflare queue. */
export function openResumeQueue(queue: Queue<WakeUp>, clock: Clock): ResumeQueue {
  return {
    async send(message, delayMs = 0) {
      const delaySeconds = Math.min(MAX_DELAY_SEC, Math.ceil(delayMs / 1_000));
      for (let tries = 1; ; tries += 1) {
        try {
          await queue.send(message, { delaySeconds });
          return;
        } catch (error) {
          if (tries >= SEND_TRIES) throw error;
          await clock.sleep(FIRST_PAUSE_MS * 2 ** (tries - 1));
        }
      }
    },
    async backlog() {
      const { backlogCount } = await queue.metrics();
      return { count: backlogCount };
    },
  };
}
