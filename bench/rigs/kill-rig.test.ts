import { expect, it } from "vitest";
import { runKillRig } from "./kill-rig.ts";
import { killableNodeHost } from "./killable-node.ts";

it("archives and uploads resume after kill -9 at random moments, without data loss or stray objects", async () => {
  const seed = Date.now() % 1_000_000;
  const result = await runKillRig({
    openHost: killableNodeHost,
    kills: 20,
    seed,
    report: () => undefined,
  });
  expect({ seed, faults: result.faults }).toEqual({ seed, faults: [] });
  expect(result.kills).toBe(20);
  expect(result.manualUploads).toBeGreaterThan(0);
  // On a busy machine, more of the kills meet a sender that only waits for a host.
  expect(result.interruptions).toBeGreaterThanOrEqual(5);
}, 900_000);
