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

/** The service for the duration of one batch. */
export type ServiceSlice = {
  readonly log: Logger;
  consume(message: WakeUp): Promise<void>;
  end(): Promise<void>;
};

const wakeUpSchema = z.object({ uploadId: z.string() });

/** Delay before a failed message is delivered again. */
const RETRY_DELAY_SEC = 5;

/**
 * Handles wake-ups: each runs one slice of an archive. An isolate runs one slice at a time, since
 * all of them share 128 MB. Messages that arrive meanwhile are dropped: the sweeper finds their
 * uploads waiting and sends new ones.
 *
 * A failed message is delivered again, and after `max_retries` goes to the dead-letter queue.
 */
export function createWakeUpConsumer(): (
  batch: DeliveredBatch,
  openSlice: () => Promise<ServiceSlice>,
) => Promise<void> {
  let isCopying = false;
  return async (batch, openSlice) => {
    if (isCopying) {
      batch.ackAll();
      return;
    }
    isCopying = true;
    try {
      const slice = await openSlice();
      try {
        for (const message of batch.messages) await consume(message, slice);
      } finally {
        await slice.end();
      }
    } finally {
      isCopying = false;
    }
  };
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
