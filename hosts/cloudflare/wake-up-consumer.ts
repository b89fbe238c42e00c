import * as z from "zod/mini";
import type { Logger } from "#service/logger.ts";
import type { WakeUp } from "#service/ports/resume-queue.ts";

/** The subset of Cloudflare's MessageBatch that the consumer uses. */
export type DeliveredBatch = {
  readonly messages: readonly DeliveredMessage[];
  ackAll(): void;
};

export type DeliveredMessage = {
  readonly id: string;
  readonly body: unknown;
  readonly attempts: number;
  ack(): void;
  retry(options: { readonly delaySeconds: number }): void;
};

/** The service for one batch. */
export type ServiceSlice = {
  readonly log: Logger;
  consume(message: WakeUp): Promise<void>;
  end(): Promise<void>;
};

const jobsSchema = z.object({ kind: z.string() });
const wakeUpSchema = z.union([jobsSchema, z.object({ uploadId: z.string() })]);

/** Delay before a failed message is delivered again. */
const RETRY_DELAY_SEC = 5;

/**
 * Handles wake-ups: each runs one slice of an archive, in a service of its own, or waiting work of a
 * kind, in the isolate's. An isolate runs one archive at a time, since all of them share 128 MB.
 * Messages that arrive meanwhile are dropped: the sweeper finds their uploads waiting and sends new
 * ones.
 *
 * A failed message is delivered again, and after `max_retries` goes to the dead-letter queue.
 */
export function createWakeUpConsumer(): (
  batch: DeliveredBatch,
  openSlice: () => Promise<ServiceSlice>,
  openShared: () => Promise<ServiceSlice>,
) => Promise<void> {
  let isCopying = false;
  return async (batch, openSlice, openShared) => {
    if (batch.messages.every(({ body }) => jobsSchema.safeParse(body).success)) {
      await consumeAll(batch, openShared);
      return;
    }
    if (isCopying) {
      batch.ackAll();
      return;
    }
    isCopying = true;
    try {
      await consumeAll(batch, openSlice);
    } finally {
      isCopying = false;
    }
  };
}

async function consumeAll(
  { messages }: DeliveredBatch,
  open: () => Promise<ServiceSlice>,
): Promise<void> {
  const slice = await open();
  try {
    for (const message of messages) await consume(message, slice);
  } finally {
    await slice.end();
  }
}

async function consume(message: DeliveredMessage, slice: ServiceSlice): Promise<void> {
  try {
    await slice.consume(wakeUpSchema.parse(message.body));
    message.ack();
  } catch (error) {
    const { body, attempts } = message;
    slice.log.warn("A wake-up failed", { body, attempts, error });
    message.retry({ delaySeconds: RETRY_DELAY_SEC });
  }
}
