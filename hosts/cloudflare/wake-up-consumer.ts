import * as z from "zod/mini";
import type { LogSink } from "#service/ports/log-sink.ts";
import type { WakeUp } from "#service/ports/resume-queue.ts";

/** What the consumers need of Cloudflare's MessageBatch. */
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

/** The service for as long as one batch is worked on. */
export type Slice = {
  readonly logs: LogSink;
  consume(message: WakeUp): Promise<void>;
  end(): Promise<void>;
};

const wakeUpSchema = z.object({ uploadId: z.string() });

/** Pause before a message whose consumer failed is delivered again. */
const RETRY_DELAY_SEC = 5;

/**
 * Works on wake-ups: each runs one slice of an archive. One slice at a time an isolate, since all
 * that run in it share 128 MB. Messages that come meanwhile are dropped: the sweeper finds their
 * uploads waiting and sends others.
 *
 * A message that cannot be worked on comes again, and after `max_retries` goes to the dead-letter
 * queue.
 */
export function createWakeUpConsumer(): (
  batch: DeliveredBatch,
  openSlice: () => Promise<Slice>,
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

async function consume(message: DeliveredMessage, slice: Slice): Promise<void> {
  try {
    await slice.consume(wakeUpSchema.parse(message.body));
    message.ack();
  } catch (error) {
    slice.logs.write({
      level: "warn",
      at: new Date(),
      message: "A wake-up failed",
      meta: { body: message.body, attempts: message.attempts, error: String(error) },
    });
    message.retry({ delaySeconds: RETRY_DELAY_SEC });
  }
}
