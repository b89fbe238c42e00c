import type { TagAlgorithm } from "#service/platform.ts";
import type { Bindings } from "./bindings.ts";
import { webDigests } from "./digests.ts";
import { NO_SCHEDULER, openHostedService } from "./hosted-service.ts";
import { createWorkerLogSink } from "./log-sink.ts";
import { findPartTagAlgorithm } from "./part-tags.ts";
import { consumeBatch } from "./resume-queue.ts";

/** Another slice has this isolate's memory: the message comes again, elsewhere or later. */
const BUSY_DELAY_SEC = 10;

let isCopying = false;

/** A bucket's answer does not change while an isolate lives. */
let partTagAlgorithm: TagAlgorithm | null = null;

/**
 * Works on wake-ups: each runs one slice of an archive, which ends after a minute by sending the
 * next wake-up. One slice at a time an isolate, since all that run in it share 128 MB.
 */
export async function consumeWakeUps(batch: MessageBatch, bindings: Bindings): Promise<void> {
  if (isCopying) {
    batch.retryAll({ delaySeconds: BUSY_DELAY_SEC });
    return;
  }
  isCopying = true;
  try {
    partTagAlgorithm ??= await findPartTagAlgorithm(bindings.OBJECTS, webDigests);
    const logs = createWorkerLogSink(console);
    const hosted = await openHostedService(bindings, {
      scheduler: NO_SCHEDULER,
      logs,
      partTagAlgorithm,
    });
    hosted.keepSettled();
    try {
      await consumeBatch(batch, (message) => hosted.service.consume(message), logs);
    } finally {
      await hosted.end();
    }
  } finally {
    isCopying = false;
  }
}
