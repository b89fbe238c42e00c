import { systemClock } from "#hosts/ports/clock.ts";
import { describeResumeQueue } from "#hosts/conformance/resume-queue-suite.ts";
import { openResumeQueue } from "./resume-queue.ts";
import { bindings } from "./testing/bindings.ts";
import { setConsumer } from "./testing/consumer.ts";

describeResumeQueue("A Cloudflare queue", async () => ({
  queue: openResumeQueue(bindings.VOD_RESUME, systemClock),
  attach: setConsumer,
  close: async () => setConsumer(async () => undefined),
}));
