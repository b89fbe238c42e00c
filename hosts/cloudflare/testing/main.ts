import { createWorkerLogSink } from "../log-sink.ts";
import { consumeBatch } from "../resume-queue.ts";
import { consumeInTest } from "./consumer.ts";

export { LiveHubObject } from "../live-hub-object.ts";
export { SchedulerObject } from "../scheduler-object.ts";

export default {
  fetch: () => new Response(null, { status: 404 }),
  queue: (batch) =>
    consumeBatch(batch, consumeInTest, createWorkerLogSink({ log: () => undefined })),
} satisfies ExportedHandler;
