import { expect, test } from "vitest";
import { continues, type ArchiveUnit } from "./archive-manifest.ts";

function unit(segment: number, change: Partial<ArchiveUnit> = {}): ArchiveUnit {
  return {
    kind: "ts",
    url: `https://media.example/${segment}.ts`,
    byteRange: null,
    segment,
    durationSec: 10,
    startsDiscontinuity: false,
    isMuted: false,
    isGap: false,
    ...change,
  };
}

const PLANNED = [unit(0), unit(1, { durationSec: 8.341 })];

test.each<readonly [string, readonly ArchiveUnit[], boolean]>([
  ["an identical one", PLANNED, true],
  ["a longer one", [...PLANNED, unit(2)], true],
  ["other file names", PLANNED.map((each) => ({ ...each, url: "muted", isMuted: true })), true],
  ["a differently rounded duration", [unit(0), unit(1, { durationSec: 8.342 })], true],
  ["a different duration", [unit(0), unit(1, { durationSec: 8.35 })], false],
  ["an outdated one", PLANNED.slice(0, 1), true],
  ["other segment numbers", [unit(0), unit(2, { durationSec: 8.341 })], false],
  ["another container", PLANNED.map((each) => ({ ...each, kind: "fmp4-fragment" })), false],
])("decides whether a plan can continue with %s", (_, later, isSame) => {
  expect(continues(PLANNED, later)).toBe(isSame);
});
