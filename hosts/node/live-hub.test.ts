import { describeLiveHub } from "#hosts/conformance/live-hub-suite.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { createLiveHub } from "./live-hub.ts";

describeLiveHub("The hub inside the process", async () => ({
  hub: createLiveHub(systemClock),
  close: async () => undefined,
}));
