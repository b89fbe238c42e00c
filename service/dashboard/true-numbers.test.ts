import process from "node:process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { host } from "#host-under-test";
import { verifyAudit } from "#contract/audit.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { openMixedRun, type MixedStep } from "#service/testing/mixed-run.ts";
import { expectTrueNumbers, expectTrueStorage } from "#service/testing/true-numbers.ts";

/**
 * Totals, groups, storage and costs are read from counts maintained by triggers. After any sequence
 * of steps they must equal the counted rows.
 */

/** Covers each kind of step many times; for more, set TRUE_NUMBERS_RUNS=1000. */
const RUNS = Number(process.env["TRUE_NUMBERS_RUNS"] ?? host.runsOf(25));

const pick = fc.nat(20);
const share = fc.constantFrom(0, 0.3, 1);
const permissions = fc.subarray([...PERMISSIONS]);
const weighted: readonly fc.WeightedArbitrary<MixedStep>[] = [
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("archive"), vod: pick, by: pick }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("work") }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("die while working"),
      pick,
      atCall: fc.integer({ min: 1, max: 60 }),
      isAfterEffect: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("send"),
      sizeBytes: fc.oneof(fc.nat(300_000), fc.integer({ min: 8_388_000, max: 9_500_000 })),
      share,
      by: pick,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("send more"), pick, share }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom("cancel", "delete", "retry", "terminate", "delete file", "lose object"),
      pick,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("retry all", "stray object") }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("ban", "unban"), user: pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("permit"), user: pick, permissions }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("time passes"),
      minutes: fc.constantFrom(1, 31, 24 * 60),
    }),
  },
];
const steps = fc.array(fc.oneof(...weighted), { minLength: 1, maxLength: 16 });

test(
  "whatever happened, every figure is what counting the rows gives",
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const run = await openMixedRun();
        try {
          for (const step of list) await run.take(step);
          await expectTrueNumbers(run);
          // Two more scans of the store resolve lost and stray objects.
          for (let scan = 0; scan < 3; scan += 1)
            await run.take({ kind: "time passes", minutes: 31 });
          await expectTrueNumbers(run);
          await expectTrueStorage(run);
          expect(await run.admin.expect(verifyAudit)).toMatchObject({ verified: true });
        } finally {
          await run.close();
        }
      }),
      { numRuns: RUNS },
    );
  },
  20_000 + RUNS * 3_000,
);
