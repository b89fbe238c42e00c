import type { ResumeQueue } from "#service/ports/resume-queue.ts";
import type { DeliveredBatch } from "#hosts/cloudflare/wake-up-consumer.ts";

/** How a message is delivered: the number of copies, and their delay. */
export type Fate = { readonly copies: number; readonly delaySteps: number };

const PROMPT: Fate = { copies: 1, delaySteps: 0 };

type Waiting = { readonly id: string; readonly body: unknown; attempts: number; dueStep: number };

/**
 * A queue that gives each sent message the next of `fates`: lost, duplicated, or delayed past later
 * ones. Like Cloudflare's, it redelivers retried messages, and after `maxRetries` moves them to the
 * dead-letter queue.
 */
export function createModelQueue(fates: readonly Fate[], maxRetries: number) {
  const waiting: Waiting[] = [];
  const dead: Waiting[] = [];
  let sent = 0;
  let step = 0;

  function put(body: unknown): void {
    const { copies, delaySteps } = fates[sent] ?? PROMPT;
    sent += 1;
    for (let copy = 0; copy < copies; copy += 1)
      waiting.push({ id: `${sent}.${copy}`, body, attempts: 0, dueStep: step + delaySteps * copy });
    if (copies === 1 && waiting.length > 0) {
      const last = waiting.at(-1);
      if (last !== undefined) last.dueStep = step + delaySteps;
    }
  }

  /** Returns the next batch of one message; null when none is waiting. */
  function take(): DeliveredBatch | null {
    const next = waiting.toSorted((a, b) => a.dueStep - b.dueStep)[0];
    if (next === undefined) return null;
    waiting.splice(waiting.indexOf(next), 1);
    step = Math.max(step, next.dueStep) + 1;
    return batchOf(next, (again) => {
      (again.attempts > maxRetries ? dead : waiting).push({ ...again, dueStep: step });
    });
  }

  const queue: ResumeQueue = {
    send: async (message) => put(message),
    backlog: async () => ({ count: waiting.length }),
  };
  return {
    queue,
    put,
    take,
    takeDead: () => dead.splice(0).map((message) => batchOf(message, () => undefined)),
  };
}

function batchOf(message: Waiting, onRetry: (message: Waiting) => void): DeliveredBatch {
  const attempts = message.attempts + 1;
  let isSettled = false;
  const settle = (then: () => void) => () => {
    if (isSettled) return;
    isSettled = true;
    then();
  };
  const ack = settle(() => undefined);
  const retry = settle(() => onRetry({ ...message, attempts }));
  return { messages: [{ id: message.id, body: message.body, attempts, ack, retry }], ackAll: ack };
}
