import { expect, test } from "vitest";
import { archiveCost, uploadCostUsd } from "./archive-cost.ts";

const MIB = 1024 * 1024;

test("40 GB in parts of 16 MiB cost about a cent to copy and 60 cents a month to store", () => {
  const cost = archiveCost(40e9, 16 * MIB);
  // 2,385 parts and seven other operations, at $4.50 per million.
  expect(cost.copyUsd).toBeCloseTo((2_392 * 4.5) / 1e6, 6);
  expect(cost.storageUsdPerMonth).toBe(0.6);
});

test("an upload that has stored nothing has cost nothing", () => {
  expect(uploadCostUsd(0, null)).toBe(0);
  expect(uploadCostUsd(1, null)).toBeGreaterThan(0);
});
