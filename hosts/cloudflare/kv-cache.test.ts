import { systemClock } from "#hosts/ports/clock.ts";
import { describeCache } from "#hosts/conformance/cache-suite.ts";
import { openKvCache } from "./kv-cache.ts";
import { bindings } from "./testing/bindings.ts";

describeCache("KV", async () => {
  let aheadMs = 0;
  const cache = openKvCache(bindings.CACHE, {
    ...systemClock,
    now: () => systemClock.now() + aheadMs,
  });
  await cache.clear();
  return { cache, pass: (ms) => (aheadMs += ms), close: async () => undefined };
});
