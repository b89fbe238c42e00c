import { expect, it } from "vitest";
import { runKillRig } from "./kill-rig.ts";
import { killableWorker } from "./killable-worker.ts";

it("a Worker killed at random moments with its queue lost resumes within 90 s, without data loss", async () => {
  const seed = Date.now() % 1_000_000;
  const result = await runKillRig({
    openHost: killableWorker,
    kills: 10,
    seed,
    report: () => undefined,
  });
  expect({ seed, faults: result.faults }).toEqual({ seed, faults: [] });
  expect(result.kills).toBe(10);
  expect(result.slowestResumeMs).toBeLessThan(90_000);
}, 900_000);
