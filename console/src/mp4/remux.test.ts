import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { findBoxes } from "#stand-ins/twitch/media/mp4-template.ts";
import { checkFragments } from "./box-counts.ts";
import { Mp4Error } from "./mp4-error.ts";
import { remux } from "./remux.ts";

const folder = new URL("../../../stand-ins/twitch/media/base/fmp4-480p/", import.meta.url);
const fragmented = Buffer.concat(
  ["init.mp4", "0.mp4", "1.mp4"].map((name) => readFileSync(new URL(name, folder))),
);
const flat = await copyOf(fragmented);

async function copyOf(bytes: Buffer): Promise<Buffer> {
  const copy = Buffer.alloc(2 ** 20);
  let end = 0;
  const target = new WritableStream<{ data: Uint8Array; position: number }>({
    write({ data, position }) {
      copy.set(data, position);
      end = Math.max(end, position + data.length);
    },
  });
  const source = {
    getSize: () => bytes.length,
    read: (from: number, to: number) => Promise.resolve(Uint8Array.from(bytes.subarray(from, to))),
  };
  const piece = { range: { offset: 0, length: bytes.length }, init: null, startSec: 0 };
  await remux(source, [piece], { startSec: 0, endSec: Infinity }, target);
  return copy.subarray(0, end);
}

/** A file in which numbers of such a box are replaced: of the first, or of the last with -1. */
function spoiled(
  file: Buffer,
  path: string,
  numbers: readonly (readonly [number, number])[],
  which = 0,
): Buffer {
  const bytes = Buffer.from(file);
  const start = findBoxes(file, path.split("/")).at(which)?.contentStart ?? Number.NaN;
  for (const [at, value] of numbers) bytes.writeUInt32BE(value, start + at);
  return bytes;
}

const MOST = 2 ** 32 - 1;

test.each([
  ...["stts", "ctts", "stss", "stsc", "stco"].map((table) => [table, 4] as const),
  ["stts", 8],
  ["ctts", 8],
  ["stsc", 8],
  ["stsc", 12],
  ["stsz", 4],
  ["stsz", 8],
] as const)("a spoiled number in %s at byte %d is called damage at once", async (table, at) => {
  const startedUs = process.threadCpuUsage().user;
  await expect(
    copyOf(spoiled(flat, `moov/trak/mdia/minf/stbl/${table}`, [[at, MOST]])),
  ).rejects.toThrow("This file is damaged.");
  expect(process.threadCpuUsage().user - startedUs).toBeLessThan(500_000);
});

const WITH_FIELDS = [[4, MOST]] as const;
const WITHOUT_FIELDS = [
  [0, 0],
  [4, MOST],
] as const;

test.each([
  ["fields", "first", WITH_FIELDS, 0],
  ["no fields", "first", WITHOUT_FIELDS, 0],
  ["fields", "last", WITH_FIELDS, -1],
  ["no fields", "last", WITHOUT_FIELDS, -1],
] as const)(
  "a spoiled count of samples with %s in the %s fragment is called damage",
  async (_fields, _fragment, numbers, which) => {
    const bytes = spoiled(fragmented, "moof/traf/trun", numbers, which);
    await expect(copyOf(bytes)).rejects.toThrow("This file is damaged.");
  },
);

test.each([5, 24, 1_000, 2 ** 20])(
  "a spoiled fragment is seen among bytes that are read %d at a time",
  async (stepBytes) => {
    const bytes = spoiled(fragmented, "moof/traf/trun", WITHOUT_FIELDS, -1);
    const plain = (start: number, end: number) => Promise.resolve(bytes.subarray(start, end));
    const read = checkFragments(plain, bytes.length);
    const readAll = async () => {
      for (let at = 0; at < bytes.length; at += stepBytes) await read(at, at + stepBytes);
    };
    await expect(readAll()).rejects.toThrow(RangeError);
  },
);

test("whatever is spoiled or cut off, the end is a file or a sentence", async () => {
  const damage = fc.record({
    file: fc.constantFrom(flat, fragmented),
    share: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
    flips: fc.array(fc.tuple(fc.nat(3_000), fc.nat(255)), { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ file, share, flips }) => {
      const bytes = Buffer.from(file);
      const start = findBoxes(bytes, ["moov"])[0]?.start ?? 0;
      for (const [at, value] of flips) bytes[start + at] = value;
      const end = await copyOf(bytes.subarray(0, bytes.length * share)).then(
        () => "a file",
        (error: unknown) => (error instanceof Mp4Error ? "a sentence" : String(error)),
      );
      expect(["a file", "a sentence"]).toContain(end);
    }),
    { numRuns: 500 * Number(process.env["SHARE_OF_RUNS"] ?? 1) },
  );
});
