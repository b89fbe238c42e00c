import * as fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { StoreError, type StoredPart } from "#service/ports/object-store.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { randomBytes } from "#service/testing/random-bytes.ts";
import { createBufferPool } from "./buffer-pool.ts";
import type { UnitGap } from "./checkpoint.ts";
import { createPartCutter, createPartWriter, type CutPart } from "./part-writer.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

const pool = createBufferPool(() => 4 * 1024 * 1024);

/** Cuts units from `start` on and returns copies of the parts. */
async function cut(
  units: readonly (Uint8Array | UnitGap)[],
  partSizeBytes: number,
  start: CutPart["end"],
  firstPartNumber: number,
): Promise<CutPart[]> {
  const parts: CutPart[] = [];
  const cutter = createPartCutter({
    partSizeBytes,
    start,
    firstPartNumber,
    pool,
    emit: async (part) => {
      parts.push({ ...part, bytes: part.bytes.slice() });
      pool.give(part.buffer);
    },
  });
  for (const unit of units.slice(start.unit)) await cutter.add(unit);
  await cutter.finish();
  return parts;
}

function hexOf({ bytes }: { readonly bytes: Uint8Array }): string {
  return Buffer.from(bytes).toString("hex");
}

const unit = fc.option(fc.uint8Array({ minLength: 1, maxLength: 40 }), {
  freq: 6,
  nil: "missing" as const,
});

it("parts have equal size except the last, hold all bytes, and can be resumed after any part", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(unit, { maxLength: 20 }),
      fc.integer({ min: 1, max: 50 }),
      fc.nat(),
      async (units, partSizeBytes, any) => {
        const parts = await cut(units, partSizeBytes, { unit: 0, offset: 0 }, 1);
        const whole = Buffer.concat(units.filter((each) => each !== "missing"));
        expect(Buffer.concat(parts.map((part) => part.bytes)).equals(whole)).toBe(true);
        expect(parts.map((part) => part.partNumber)).toEqual(parts.map((_, index) => index + 1));
        const isWhole = ({ bytes }: CutPart) => bytes.byteLength === partSizeBytes;
        expect(parts.slice(0, -1).every(isWhole)).toBe(true);
        const index = any % Math.max(1, parts.length);
        const part = parts[index];
        if (part === undefined) return;
        const later = await cut(units, partSizeBytes, part.end, index + 2);
        expect(later.map(hexOf)).toEqual(parts.slice(index + 1).map(hexOf));
      },
    ),
    { numRuns: 300 },
  ));

it("a unit that becomes a gap after its beginning was stored keeps the size of the stored bytes", async () => {
  const cutter = createPartCutter({
    partSizeBytes: 4,
    start: { unit: 3, offset: 2 },
    firstPartNumber: 5,
    pool: createBufferPool(() => 0),
    emit: async () => undefined,
  });
  await cutter.add("damaged");
  expect(cutter.unsealed?.finishedUnits).toEqual([
    { sizeBytes: 2, isMissing: true, isDamaged: true },
  ]);
});

/**
 * Stores two parts, and lets `storeFirst` store the first one after the second. Returns the part
 * numbers on record, and whether all parts were recorded.
 */
async function writeTwo(storeFirst: (store: () => Promise<StoredPart>) => Promise<StoredPart>) {
  const { objects, ...platform } = world.context.platform;
  const secondIsStored = Promise.withResolvers<void>();
  const recorded: number[] = [];
  const writer = createPartWriter(
    {
      ...platform,
      objects: {
        ...objects,
        async uploadPart(...part) {
          if (part[1] === 1) {
            await secondIsStored.promise;
            return await storeFirst(() => objects.uploadPart(...part));
          }
          const stored = await objects.uploadPart(...part);
          secondIsStored.resolve();
          return stored;
        },
      },
      pool: createBufferPool(() => 1_000_000),
      handle: await objects.createMultipart(objectKeySchema.parse("vods/1/2/3.ts"), {
        contentType: "video/mp2t",
      }),
      mostInFlight: () => 2,
      record: async ({ partNumber }) => {
        recorded.push(partNumber);
      },
    },
    new AbortController().signal,
  );
  for (const partNumber of [1, 2]) {
    const bytes = randomBytes(1_000);
    const end = { unit: partNumber, offset: 0 };
    const part = { partNumber, bytes, buffer: bytes, end };
    await writer
      .submit({ ...part, endUnitSizeBytes: null, finishedUnits: [] })
      .catch(() => undefined);
  }
  const areAllRecorded = await writer.settle().then(
    () => true,
    () => false,
  );
  return { recorded, areAllRecorded };
}

it("parts are recorded in their order, although a later one is stored first", async () => {
  expect(await writeTwo((store) => store())).toEqual({ recorded: [1, 2], areAllRecorded: true });
});

it("no part is recorded after one that could not be stored", async () => {
  const outcome = await writeTwo(async () => {
    throw new StoreError("denied", "It refuses this part");
  });
  expect(outcome).toEqual({ recorded: [], areAllRecorded: false });
});
