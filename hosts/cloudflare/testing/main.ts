import { systemClock } from "#hosts/ports/clock.ts";
import { createLogger } from "#service/logger.ts";
import { createWakeUpConsumer } from "../wake-up-consumer.ts";
import { consumeInTest } from "./consumer.ts";

export { LiveHubObject } from "../live-hub-object.ts";
export { SchedulerObject } from "../scheduler-object.ts";

const log = createLogger(systemClock, { write: () => undefined });
const consume = createWakeUpConsumer();
const openSlice = async () => ({ log, consume: consumeInTest, end: async () => undefined });

export default {
  fetch: () => new Response(null, { status: 404 }),
  queue: (batch) => consume(batch, openSlice, openSlice),
} satisfies ExportedHandler;
