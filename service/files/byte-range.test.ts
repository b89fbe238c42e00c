import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readRange } from "./byte-range.ts";

const WHOLE = { kind: "whole" };
const UNSATISFIABLE = { kind: "unsatisfiable" };

function part(offset: number, length: number) {
  return { kind: "part", range: { offset, length } };
}

test.for([
  [null, WHOLE],
  ["bytes=0-0", part(0, 1)],
  ["bytes=0-", part(0, 100)],
  ["bytes=99-", part(99, 1)],
  ["bytes=10-19", part(10, 10)],
  ["bytes=90-1000", part(90, 10)],
  ["bytes=-1", part(99, 1)],
  ["bytes=-1000", part(0, 100)],
  ["bytes=-0", UNSATISFIABLE],
  ["bytes=100-", UNSATISFIABLE],
  ["bytes=100-200", UNSATISFIABLE],
  ["bytes=5-4", WHOLE],
  ["bytes=0-1,3-4", WHOLE],
  ["bytes=-", WHOLE],
  ["bytes=a-b", WHOLE],
  ["items=0-1", WHOLE],
  ["bytes=99999999999999999999-", WHOLE],
] as const)("in a file of 100 bytes, %s means %j", ([header, expected]) => {
  expect(readRange(header, 100)).toEqual(expected);
});

test("a range always lies inside the file", () => {
  fc.assert(
    fc.property(fc.nat(), fc.option(fc.nat()), fc.option(fc.nat()), (size, first, last) => {
      const requested = readRange(`bytes=${first ?? ""}-${last ?? ""}`, size);
      const { offset, length } =
        requested.kind === "part" ? requested.range : { offset: 0, length: size };
      expect(offset).toBeGreaterThanOrEqual(0);
      expect(offset + length).toBeLessThanOrEqual(size);
      expect(length > 0 || size === 0 || requested.kind !== "part").toBe(true);
    }),
  );
});
