import { createLogger } from "#service/logger.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { LogSink } from "#service/ports/log-sink.ts";
import type { ResumeQueue, WakeUp } from "#service/ports/resume-queue.ts";

/**
 * The VOD Resume Queue inside one process. Waiting messages that are the same are merged, with the
 * earliest time; one that arrives while the same is processed is delivered afterwards. When a
 * consumer throws, the message is retried after {@link RETRY_DELAYS_MS} and then dropped: the
 * sweeper finds the work in the database.
 */
export type InProcessQueue = ResumeQueue & {
  /** Sets the consumer; earlier messages are kept for it. */
  attach(consume: (message: WakeUp) => Promise<void>): void;
  /** Stops delivery and waits for messages in progress. */
  stop(): Promise<void>;
};

/** Covers short failures; the sweeper handles longer ones. */
const RETRY_DELAYS_MS = [1_000, 5_000, 30_000];

type Waiting = {
  /** The message as text: what is the same has the same. */
  readonly key: string;
  readonly wakeUp: WakeUp;
  readonly dueMs: number;
  readonly failures: number;
};

export function createResumeQueue(options: {
  readonly clock: Clock;
  readonly logs: LogSink;
  /** Messages processed concurrently. */
  readonly concurrency: number;
}): InProcessQueue {
  const { clock, concurrency } = options;
  const log = createLogger(clock, options.logs);
  const waiting = new Map<string, Waiting>();
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  let consumer: ((message: WakeUp) => Promise<void>) | null = null;
  let timer = new AbortController();

  function add(message: Waiting): void {
    const known = waiting.get(message.key);
    if (known === undefined || message.dueMs < known.dueMs) waiting.set(message.key, message);
    deliverDue();
  }

  /** Starts due messages up to the concurrency limit, then sleeps until the next is due. */
  function deliverDue(): void {
    timer.abort();
    if (consumer === null || stopping.signal.aborted) return;
    const now = clock.monotonic();
    const ready = [...waiting.values()]
      .filter((message) => !running.has(message.key))
      .sort((left, right) => left.dueMs - right.dueMs);
    for (const message of ready) {
      if (running.size >= concurrency) return;
      if (message.dueMs > now) {
        sleepUntil(message.dueMs);
        return;
      }
      waiting.delete(message.key);
      running.set(message.key, deliver(message, consumer));
    }
  }

  function sleepUntil(dueMs: number): void {
    timer = new AbortController();
    void wake(dueMs, timer.signal);
  }

  async function wake(dueMs: number, signal: AbortSignal): Promise<void> {
    await clock.sleep(Math.max(0, dueMs - clock.monotonic()), signal);
    if (!signal.aborted) deliverDue();
  }

  async function deliver(
    message: Waiting,
    consume: (message: WakeUp) => Promise<void>,
  ): Promise<void> {
    try {
      await consume(message.wakeUp);
    } catch (error) {
      handleFailure(message, error);
    } finally {
      running.delete(message.key);
      deliverDue();
    }
  }

  function handleFailure(message: Waiting, error: unknown): void {
    const delayMs = RETRY_DELAYS_MS[message.failures];
    log[delayMs === undefined ? "error" : "warn"]("A wake-up failed", {
      ...message.wakeUp,
      failures: message.failures + 1,
      error,
    });
    if (delayMs === undefined) return;
    const dueMs = clock.monotonic() + delayMs;
    add({ ...message, dueMs, failures: message.failures + 1 });
  }

  return {
    async send(wakeUp, delayMs = 0) {
      const dueMs = clock.monotonic() + delayMs;
      add({ key: JSON.stringify(wakeUp), wakeUp, dueMs, failures: 0 });
    },
    async backlog() {
      return { count: waiting.size };
    },
    attach(consume) {
      consumer = consume;
      deliverDue();
    },
    async stop() {
      stopping.abort();
      timer.abort();
      await Promise.all(running.values());
    },
  };
}
