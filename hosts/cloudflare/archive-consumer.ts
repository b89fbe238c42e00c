import type { TagAlgorithm } from "#service/ports/object-store.ts";
import type { Bindings } from "./bindings.ts";
import { webDigests } from "./digests.ts";
import { NO_SCHEDULER, openHostedService } from "./hosted-service.ts";
import { createWorkerLogSink } from "./log-sink.ts";
import { readBucketPrefix } from "./bucket-prefix.ts";
import { findPartTagAlgorithm } from "./part-tags.ts";
import { openR2Store } from "./r2-store.ts";
import { readWorkerSettings } from "./worker-settings.ts";
import { createWakeUpConsumer, type Slice } from "./wake-up-consumer.ts";

const consume = createWakeUpConsumer();

/** A bucket's answer does not change while an isolate lives. */
let partTagAlgorithm: TagAlgorithm | null = null;

export async function consumeWakeUps(batch: MessageBatch, bindings: Bindings): Promise<void> {
  await consume(batch, () => openSlice(bindings));
}

async function openSlice(bindings: Bindings): Promise<Slice> {
  partTagAlgorithm ??= await findPartTagAlgorithm(
    openR2Store(bindings.OBJECTS, "none", readBucketPrefix(readWorkerSettings(bindings))),
    webDigests,
  );
  const logs = createWorkerLogSink(console);
  const hosted = await openHostedService(bindings, {
    scheduler: NO_SCHEDULER,
    logs,
    partTagAlgorithm,
  });
  hosted.keepSettled();
  return { logs, consume: (message) => hosted.service.consume(message), end: () => hosted.end() };
}
