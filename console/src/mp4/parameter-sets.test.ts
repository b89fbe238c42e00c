import { expect, test } from "vitest";
import { parameterSetsOf } from "./parameter-sets.ts";

test("H.264: returns every SPS and PPS with a four-byte length", () => {
  const record = [1, 0x64, 0, 0x1f, 0xff, 0xe1, 0, 3, 0x67, 1, 2, 1, 0, 2, 0x68, 3];
  expect(parameterSetsOf("avc", Uint8Array.from(record))).toEqual(
    Uint8Array.from([0, 0, 0, 3, 0x67, 1, 2, 0, 0, 0, 2, 0x68, 3]),
  );
});

test("HEVC: returns the sets of all arrays", () => {
  const record = [...Array.from({ length: 21 }, () => 0), 0xff, 2];
  record.push(0xa0, 0, 1, 0, 2, 0x40, 1, 0xa1, 0, 2, 0, 1, 0x42, 0, 1, 0x43);
  expect(parameterSetsOf("hevc", Uint8Array.from(record))).toEqual(
    Uint8Array.from([0, 0, 0, 2, 0x40, 1, 0, 0, 0, 1, 0x42, 0, 0, 0, 1, 0x43]),
  );
});

test("returns null for a record with two-byte lengths", () => {
  expect(parameterSetsOf("avc", Uint8Array.from([1, 0x64, 0, 0x1f, 0xfd, 0xe0, 0]))).toBeNull();
});
