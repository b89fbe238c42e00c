import { systemClock } from "#hosts/ports/clock.ts";
import { describeLiveHub } from "#hosts/conformance/live-hub-suite.ts";
import { openLiveHub } from "./live-hub.ts";
import { createWorkerLogSink } from "./log-sink.ts";
import { bindings } from "./testing/bindings.ts";

const logs = createWorkerLogSink({ log: () => undefined });

describeLiveHub("A Durable Object", async () => {
  const name = crypto.randomUUID();
  const hub = openLiveHub(() => bindings.LIVE_HUB.getByName(name), systemClock, logs);
  return { hub, close: async () => hub.close() };
});
