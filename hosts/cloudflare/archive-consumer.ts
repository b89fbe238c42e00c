import { systemClock } from "#hosts/ports/clock.ts";
import { createLogger } from "#service/logger.ts";
import type { Bindings } from "./bindings.ts";
import { NO_SCHEDULER, openHostedService } from "./hosted-service.ts";
import { createWorkerLogSink } from "./log-sink.ts";
import { learnPartTags } from "./part-tags.ts";
import { createWakeUpConsumer, type ServiceSlice } from "./wake-up-consumer.ts";

const consume = createWakeUpConsumer();

export async function consumeWakeUps(batch: MessageBatch, bindings: Bindings): Promise<void> {
  await consume(batch, () => openSlice(bindings));
}

async function openSlice(bindings: Bindings): Promise<ServiceSlice> {
  await learnPartTags(bindings);
  const logs = createWorkerLogSink(console);
  const hosted = await openHostedService(bindings, {
    scheduler: NO_SCHEDULER,
    logs,
  });
  hosted.keepFlushing();
  const log = createLogger(systemClock, logs);
  return { log, consume: (message) => hosted.service.consume(message), end: () => hosted.end() };
}
