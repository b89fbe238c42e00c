import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createHurriedClock } from "#service/testing/test-clock.ts";
import type { ArchiveUnit } from "./archive-manifest.ts";
import { TryLater } from "#service/storage/run-end.ts";
import { createSourceGate } from "./source-gate.ts";
import { createUnitFetch, isGap } from "./unit-fetch.ts";
import type { UnitBody } from "./unit-body.ts";
import { UnitFault } from "./unit-fault.ts";

const { signal } = new AbortController();

const PAGE = new TextEncoder().encode("<!doctype html><title>Sorry</title>");
/** Two packets of MPEG-TS, and the same without the second sync byte. */
const SEGMENT = new Uint8Array(376);
SEGMENT[0] = 0x47;
SEGMENT[188] = 0x47;
const DAMAGED = SEGMENT.slice(0);
DAMAGED[188] = 0;
const CUT = SEGMENT.subarray(0, 300);
const ABSENT = new UnitFault("absent", "the source answered 403");

const UNITS = Array.from({ length: 200 }, (_, segment): ArchiveUnit => ({
  kind: "ts",
  url: `https://media.test/${segment}.ts`,
  byteRange: null,
  durationSec: 10,
  isGap: false,
  isMuted: false,
  segment,
  startsDiscontinuity: false,
}));

/** Random bytes that give the shortest and the longest delays. */
const RANDOM_BYTES = [0, 255];

const digest = async (bytes: Uint8Array) => hash("sha256", bytes);

type Answer = (elapsedMs: number, index: number) => Uint8Array | UnitFault;

function bytesOf(fetched: UnitBody | string): Uint8Array | null {
  return typeof fetched === "string" ? null : fetched.bytes;
}

/** Fetches from a source whose answers depend on the time since the first request. */
function openFetch(randomByte: number, answer: Answer, kind: ArchiveUnit["kind"] = "ts") {
  const clock = createHurriedClock(0);
  const random = { bytes: (length: number) => new Uint8Array(length).fill(randomByte) };
  let startedMs: number | null = null;
  const told = {
    requests: 0,
    doubts: 0,
    warnings: [] as string[],
    troubles: [] as (string | null)[],
  };
  const fetch = createUnitFetch({
    clock,
    random,
    digests: { sha256: digest, md5: digest },
    units: UNITS.map((unit) => ({ ...unit, kind })),
    async request({ segment, url }) {
      startedMs ??= clock.monotonic();
      told.requests += 1;
      const given = answer(clock.monotonic() - startedMs, segment ?? 0);
      if (given instanceof UnitFault) throw given;
      return { bytes: given, buffer: given, url };
    },
    async isAnswered({ segment }) {
      const given = answer(clock.monotonic() - (startedMs ?? 0), segment ?? 0);
      return !(given instanceof UnitFault) && given !== PAGE;
    },
    giveBack: () => undefined,
    refreshPlan: async () => "alive",
    onAnswer: (trouble) => told.troubles.push(trouble),
    onSuspectUnit: () => (told.doubts += 1),
    onWarning: (message) => told.warnings.push(message),
  });
  return {
    told,
    elapsedMs: () => clock.monotonic() - (startedMs ?? 0),
    fetchUnit: (index = 0) => fetch(index, signal, () => undefined),
    lookAgain: (index = 0) => fetch(index, signal, () => undefined, true),
  };
}

it.each(RANDOM_BYTES)(
  "a unit is fetched even if an edge server sends pages for a minute (random bytes %i)",
  async (randomByte) => {
    const source = openFetch(randomByte, (elapsedMs) => (elapsedMs < 60_000 ? PAGE : SEGMENT));
    expect(bytesOf(await source.fetchUnit())).toEqual(SEGMENT);
    expect(source.told.doubts).toBeGreaterThan(0);
  },
);

it.each(RANDOM_BYTES)(
  "in its turn, a cut unit delays the others by at most eleven seconds (random bytes %i)",
  async (randomByte) => {
    const source = openFetch(randomByte, () => CUT);
    expect(await source.fetchUnit()).toBe("damaged");
    expect(source.elapsedMs()).toBeLessThan(11_000);
  },
);

it.each(RANDOM_BYTES)(
  "at the last look, a cut unit is a gap once it has been the same for three to five minutes (random bytes %i)",
  async (randomByte) => {
    const source = openFetch(randomByte, () => CUT);
    expect(await source.lookAgain()).toBe("damaged");
    expect(source.elapsedMs()).toBeGreaterThan(180_000);
    expect(source.elapsedMs()).toBeLessThan(300_000);
  },
);

it("an edge server that cuts units for two minutes costs none", async () => {
  const source = openFetch(0, (elapsedMs) => (elapsedMs < 120_000 ? CUT : SEGMENT));
  expect(bytesOf(await source.lookAgain())).toEqual(SEGMENT);
});

it("wrong bytes that differ each time are no gap", async () => {
  let requests = 0;
  const source = openFetch(255, () => SEGMENT.subarray(0, 200 + (requests += 1)));
  await expect(source.lookAgain()).rejects.toMatchObject({
    name: "TryLater",
    message: expect.stringMatching(/^Segment 0: .+ It was fetched 9 times\.$/),
  });
});

it("a range of a file that stays wrong fails the archive, since a file has no gaps", async () => {
  const source = openFetch(0, () => new UnitFault("unexpected", "it has 5 bytes"), "bytes");
  await expect(source.fetchUnit()).rejects.toMatchObject({
    name: "ArchiveFailed",
    failureClass: "source_corrupt",
  });
});

it("pages in place of every unit are an outage, in place of one a gap", async () => {
  const everywhere = openFetch(0, () => PAGE);
  await expect(everywhere.fetchUnit()).rejects.toMatchObject({ name: "TryLater" });
  const once = openFetch(0, (_, index) => (index === 0 ? PAGE : SEGMENT));
  expect(await once.fetchUnit(0)).toBe("damaged");
});

it("a cut unit is no gap if one that was whole is no longer answered", async () => {
  let isDown = false;
  const source = openFetch(0, (_, index) =>
    !isDown ? SEGMENT : index === 1 ? CUT : new UnitFault("unexpected", "the source answered 400"),
  );
  await source.fetchUnit(0);
  isDown = true;
  await expect(source.fetchUnit(1)).rejects.toMatchObject({ name: "TryLater" });
});

it.each([
  { which: "every unit", isDamaged: () => true },
  { which: "97 of 100 units", isDamaged: (index: number) => index % 33 !== 0 },
])("damage to $which costs at most ten minutes", async ({ isDamaged }) => {
  const source = openFetch(255, (_, index) => (isDamaged(index) ? CUT : SEGMENT));
  for (let index = 0; index < UNITS.length; index += 1)
    expect(isGap(await source.fetchUnit(index))).toBe(isDamaged(index));
  expect(source.elapsedMs()).toBeLessThan(600_000);
});

describe("an absent unit", () => {
  it("is a gap while another unit is answered", async () => {
    const source = openFetch(255, (_, index) => (index === 5 ? ABSENT : SEGMENT));
    expect(await source.fetchUnit(5)).toBe("missing");
    expect(source.elapsedMs()).toBe(12_000);
  });

  it("is no gap if a unit that was fetched before is absent, too", async () => {
    let isDown = false;
    const source = openFetch(255, () => (isDown ? ABSENT : SEGMENT));
    await source.fetchUnit(0);
    isDown = true;
    await expect(source.fetchUnit(1)).rejects.toMatchObject({
      name: "TryLater",
      message: expect.stringContaining("media.test refuses every segment"),
    });
  });

  it("is no gap if an outage began right after the probe", async () => {
    let asked = 0;
    const source = openFetch(255, (_, index) => {
      if (index !== 5) return asked < 5 ? SEGMENT : ABSENT;
      asked += 1;
      return asked === 5 ? new UnitFault("unavailable", "the source answered 503") : ABSENT;
    });
    await expect(source.fetchUnit(5)).rejects.toMatchObject({ name: "TryLater" });
    expect(asked).toBe(6);
  });

  it("is no gap if it is answered after the outage that the probe found over", async () => {
    const source = openFetch(255, (elapsedMs) => (elapsedMs < 12_000 ? ABSENT : SEGMENT));
    expect(bytesOf(await source.fetchUnit(0))).toEqual(SEGMENT);
  });
});

it.each(RANDOM_BYTES)(
  "whole packets without sync bytes are kept once they have been the same for minutes (random bytes %i)",
  async (randomByte) => {
    const source = openFetch(randomByte, () => DAMAGED);
    expect(bytesOf(await source.fetchUnit())).toEqual(DAMAGED);
    expect(source.elapsedMs()).toBeGreaterThan(180_000);
    expect(source.told.warnings).toEqual([
      "Segment 0 is kept as the source has it, although the MPEG-TS packet at byte 188 has no sync byte",
    ]);
  },
);

it("a doubtful unit does not delay other units", async () => {
  const source = openFetch(255, (_, index) => (index === 0 ? PAGE : SEGMENT));
  const doubtful = source.fetchUnit(0).catch((error: unknown) => error);
  const others = await Promise.all([1, 2, 3].map((index) => source.fetchUnit(index)));
  expect(others.map(bytesOf)).toEqual([SEGMENT, SEGMENT, SEGMENT]);
  expect(source.told.requests).toBeLessThan(9 + 3);
  await doubtful;
});

it("from its second fault until it arrives, a unit is the reason to wait", async () => {
  const source = openFetch(255, (elapsedMs) => (elapsedMs < 10_000 ? PAGE : SEGMENT));
  await source.fetchUnit();
  const [first, ...others] = source.told.troubles;
  expect(first).toBeNull();
  expect(others.pop()).toBeNull();
  expect([...new Set(others)]).toEqual([expect.stringMatching(/^Segment 0: .+\.$/)]);
});

it("a unit that arrives does not hide that another one is fetched again", async () => {
  const source = openFetch(255, (elapsedMs, index) =>
    elapsedMs < (index === 0 ? 30_000 : 8_000) ? PAGE : SEGMENT,
  );
  const late = source.fetchUnit(0);
  await source.fetchUnit(1);
  expect(source.told.troubles.at(-1)).toMatch(/^Segment 0: /);
  await late;
  expect(source.told.troubles.at(-1)).toBeNull();
});

it("an unavailable unit is retried later and not treated as damaged", async () => {
  const source = openFetch(255, (_, index) =>
    index === 0 ? new UnitFault("unavailable", "only 5 of 376 bytes arrived") : SEGMENT,
  );
  await expect(source.fetchUnit()).rejects.toMatchObject({
    name: "TryLater",
    message: "Segment 0: only 5 of 376 bytes arrived.",
  });
  expect(source.told.doubts).toBe(0);
});

const random = { bytes: (length: number) => new Uint8Array(length).fill(255) };

it("no request is sent before the time that the source asks for", async () => {
  const clock = createHurriedClock();
  const gate = createSourceGate(clock, random);
  const ticket = await gate.enter(signal);
  const failedMs = clock.monotonic();
  gate.failed(ticket, "busy", 20_000);
  await gate.enter(signal);
  expect(clock.monotonic() - failedMs).toBeGreaterThanOrEqual(20_000);
});

it("a delay too long for a run ends the run, which reports the delay", async () => {
  const gate = createSourceGate(createHurriedClock(), random);
  const ticket = await gate.enter(signal);
  expect(() => gate.failed(ticket, "busy", 90_000)).toThrow(
    expect.objectContaining({ retryAfterMs: 90_000 }),
  );
});

it("after a failure one request probes while the others wait for its success", async () => {
  const gate = createSourceGate(createHurriedClock(), random);
  gate.failed(await gate.enter(signal), "down", null);
  const probe = await gate.enter(signal);
  let others = 0;
  const waiting = [1, 2, 3].map(async () => {
    await gate.enter(signal);
    others += 1;
  });
  await new Promise(setImmediate);
  expect(others).toBe(0);
  gate.succeeded(probe);
  await Promise.all(waiting);
  expect(others).toBe(3);
});

it("six concurrent failures count as one, and the seventh failure ends the run", async () => {
  const gate = createSourceGate(createHurriedClock(), random);
  const together = await Promise.all(Array.from({ length: 6 }, () => gate.enter(signal)));
  for (const ticket of together) gate.failed(ticket, "down", null);
  for (let round = 2; round <= 6; round += 1) gate.failed(await gate.enter(signal), "down", null);
  const last = await gate.enter(signal);
  expect(() => gate.failed(last, "down", null)).toThrow(TryLater);
});
