import { createWorkerLogSink } from "../log-sink.ts";
import { createWakeUpConsumer } from "../wake-up-consumer.ts";
import { consumeInTest } from "./consumer.ts";

export { LiveHubObject } from "../live-hub-object.ts";
export { SchedulerObject } from "../scheduler-object.ts";

const consume = createWakeUpConsumer();

export default {
  fetch: () => new Response(null, { status: 404 }),
  queue: (batch) =>
    consume(batch, async () => ({
      logs: createWorkerLogSink({ log: () => undefined }),
      consume: consumeInTest,
      end: async () => undefined,
    })),
} satisfies ExportedHandler;
