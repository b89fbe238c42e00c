import { createLogger } from "#service/logger.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { LogSink } from "#service/ports/log-sink.ts";
import type { ResumeQueue, WakeUp } from "#service/ports/resume-queue.ts";

/**
 * The VOD Resume Queue inside one process. Waiting messages for one upload are merged, with the
 * earliest time; one that arrives while its upload is processed is delivered afterwards. When a
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
  readonly uploadId: string;
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
    const known = waiting.get(message.uploadId);
    if (known === undefined || message.dueMs < known.dueMs) waiting.set(message.uploadId, message);
    deliverDue();
  }

  /** Starts due messages up to the concurrency limit, then sleeps until the next is due. */
  function deliverDue(): void {
    timer.abort();
    if (consumer === null || stopping.signal.aborted) return;
    const now = clock.monotonic();
    const ready = [...waiting.values()]
      .filter((message) => !running.has(message.uploadId))
      .sort((left, right) => left.dueMs - right.dueMs);
    for (const message of ready) {
      if (running.size >= concurrency) return;
      if (message.dueMs > now) {
        sleepUntil(message.dueMs);
        return;
      }
      waiting.delete(message.uploadId);
      running.set(message.uploadId, deliver(message, consumer));
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
      await consume({ uploadId: message.uploadId });
    } catch (error) {
      handleFailure(message, error);
    } finally {
      running.delete(message.uploadId);
      deliverDue();
    }
  }

  function handleFailure(message: Waiting, error: unknown): void {
    const delayMs = RETRY_DELAYS_MS[message.failures];
    log[delayMs === undefined ? "error" : "warn"]("A wake-up failed", {
      uploadId: message.uploadId,
      failures: message.failures + 1,
      error,
    });
    if (delayMs === undefined) return;
    const dueMs = clock.monotonic() + delayMs;
    add({ ...message, dueMs, failures: message.failures + 1 });
  }

  return {
    async send({ uploadId }, delayMs = 0) {
      const dueMs = clock.monotonic() + delayMs;
      add({ uploadId, dueMs, failures: 0 });
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
