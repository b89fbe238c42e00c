import { expect, it } from "vitest";
import { runFuzzRig } from "./fuzz-rig.ts";

it("20,000 fuzzed requests never violate the API contract", async () => {
  const seed = Date.now() % 1_000_000;
  const result = await runFuzzRig({ requests: 20_000, seed, report: () => undefined });
  expect(result.faults).toEqual([]);
  // Proves that requests get past authentication and validation, too.
  for (const status of [200, 201, 400, 401, 403, 404, 405, 409, 413, 415, 502])
    expect(result.statuses.get(status) ?? 0, `answers of ${status}`).toBeGreaterThan(10);
});
