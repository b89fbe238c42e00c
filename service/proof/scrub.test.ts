import { open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { StoreError, type ByteRange } from "#service/ports/object-store.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { judgeRecentEvents } from "#service/health/recent-events.ts";
import { findFile } from "#service/files/file-row.ts";
import { runScrub } from "#service/testing/run-scrub.ts";
import { requestEverything, requestVerification } from "./verification-request.ts";

const MIB = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
/** The end of a day, when its whole share is due. */
const DAY_END_MS = Date.parse("2027-03-01T23:59:59Z");

let world: ArchiveWorld;
/** The reads of all rounds. */
let reads: { key: string; bytes: number }[];
let sleptMs: number;
beforeEach(async () => {
  world = await openArchiveWorld();
  reads = [];
  sleptMs = 0;
});
afterEach(() => world.close());

/** Runs the scrub on another day; sleeps return at once and reads are recorded. */
async function scrubOn(
  day: number,
  change: Partial<ServiceContext["platform"]["objects"]> = {},
  settings: Partial<ServiceContext["settings"]> = {},
): Promise<void> {
  const { platform } = world.context;
  const { clock, objects } = platform;
  await runScrub({
    ...world.context,
    settings: { ...world.context.settings, ...settings },
    platform: {
      ...platform,
      clock: {
        ...clock,
        // Time passes only in sleeps, so that a slow machine makes no difference.
        monotonic: () => sleptMs,
        now: () => DAY_END_MS + day * DAY_MS,
        sleep: async (ms) => {
          sleptMs += ms;
        },
      },
      objects: {
        ...objects,
        get: (key, range) => {
          if (range !== undefined) reads.push({ key, bytes: range.length });
          return objects.get(key, range);
        },
        ...change,
      },
    },
  });
}

async function archive(sizesBytes: readonly number[]): Promise<string> {
  const { uploadId } = await world.addVod({
    segmentCount: sizesBytes.length,
    segmentSizeBytes: [...sizesBytes],
  });
  const { fileKey } = await world.archiveToEnd(uploadId);
  return fileKey ?? "";
}

/** Simulates a failing disk: changes one byte, but not the size. */
async function flipByte(key: string, offset: number): Promise<void> {
  const file = await open(join(world.folder ?? "", "objects", key), "r+");
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, offset);
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 0xff]), 0, 1, offset);
  await file.close();
}

async function fileOf(key: string) {
  const [row] = await world.context.platform.database.all(
    sql`SELECT status, metadata FROM files WHERE object_key = ${key}`,
  );
  return { status: row?.status, metadata: JSON.parse(String(row?.metadata)) as unknown };
}

async function damageEvents() {
  return await world.context.platform.database.all(
    sql`SELECT subject, body FROM notification_events WHERE type = 'file_damaged'`,
  );
}

test("bytes that changed are found within a cycle, named by their parts, and told once each", async () => {
  const key = await archive(Array.from({ length: 10 }, () => 3 * MIB));
  await flipByte(key, 5);
  await flipByte(key, 20 * MIB);
  for (let day = 0; day < 5; day++) await scrubOn(day);
  expect(await fileOf(key)).toMatchObject({
    status: "partial",
    metadata: {
      problem: expect.stringContaining("Part 3 (bytes 16777216 to"),
      damagedParts: {
        1: { offset: 0, length: 8 * MIB },
        3: { offset: 16 * MIB, length: 8 * MIB },
      },
    },
  });
  expect(await damageEvents()).toHaveLength(2);
  for (let day = 5; day < 12; day++) await scrubOn(day);
  expect(await damageEvents()).toHaveLength(2);
  const audited = await world.context.platform.database.all(
    sql`SELECT target FROM audit WHERE action = 'file.damage'`,
  );
  expect(audited).toEqual([{ target: key }, { target: key }]);
});

test("intact files stay complete, and at least one percent of all bytes is read per day", async () => {
  const key = await archive(Array.from({ length: 4 }, () => 3 * MIB));
  // Pretend that much more is stored, so that one part a day is not enough.
  await world.context.platform.database.run(
    sql`UPDATE file_counts SET bytes = ${400 * MIB} WHERE user_id = '*'`,
  );
  for (let day = 0; day < 12; day++) await scrubOn(day);
  const total = reads.reduce((sum, read) => sum + read.bytes, 0);
  expect(total).toBeGreaterThanOrEqual(400 * MIB * 0.01 * 12);
  expect(await fileOf(key)).toMatchObject({ status: "complete" });
});

test("the least recently checked file is read first", async () => {
  const keys = [await archive([MIB]), await archive([MIB]), await archive([MIB])].sort();
  // Two of them a day, and none again on the next.
  await world.context.platform.database.run(
    sql`UPDATE file_counts SET bytes = ${90 * MIB} WHERE user_id = '*'`,
  );
  for (let day = 0; day < 4; day++) await scrubOn(day);
  expect(reads.map((read) => read.key)).toEqual([...keys, ...keys]);
});

test("a single truncated read does not count as damage", async () => {
  const key = await archive([MIB]);
  const { objects } = world.context.platform;
  let faults = 1;
  await scrubOn(0, {
    get: async (at, range) => {
      if (range === undefined || faults-- <= 0) return objects.get(at, range);
      const found = await objects.get(at, { ...range, length: range.length - 1 });
      return found;
    },
  });
  expect(await fileOf(key)).toMatchObject({ status: "complete" });
});

test("an unavailable store is retried in a later round", async () => {
  const key = await archive([MIB]);
  await scrubOn(0, {
    get: () => Promise.reject(new StoreError("unavailable", "away")),
    head: () => Promise.reject(new StoreError("unavailable", "away")),
  });
  await scrubOn(0);
  expect(reads.map((read) => read.key)).toEqual([key]);
  expect(await fileOf(key)).toMatchObject({ status: "complete" });
});

/** Simulates a bad sector: everything else in the store can be read. */
function unreadable(
  key: string,
  isThere: (range: ByteRange | undefined) => boolean = () => true,
): Partial<ServiceContext["platform"]["objects"]> {
  const { objects } = world.context.platform;
  return {
    get: async (at, range) => {
      const found = await objects.get(at, range);
      if (found === null || at !== key || !isThere(range)) return found;
      await found.body.cancel();
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.error(new Error("EIO: i/o error, read"));
        },
      });
      return { ...found, body };
    },
  };
}

test("an unreadable file does not delay other files and is reported after several hours", async () => {
  const [first = "", second = ""] = [await archive([MIB]), await archive([MIB])].sort();
  await scrubOn(0, unreadable(first));
  expect(
    await world.context.platform.database.all(
      sql`SELECT object_key FROM files WHERE verified_at > 0`,
    ),
  ).toEqual([{ object_key: second }]);
  expect(await damageEvents()).toEqual([]);

  await scrubOn(1 / 4, unreadable(first));
  expect(await damageEvents()).toMatchObject([
    { subject: first, body: expect.stringContaining("Part 1 cannot be read from the store.") },
  ]);
  expect(await fileOf(first)).toMatchObject({ status: "partial" });
  expect(await fileOf(second)).toMatchObject({ status: "complete" });
});

test("parts after an unreadable one are still checked", async () => {
  const key = await archive(Array.from({ length: 6 }, () => 3 * MIB));
  await flipByte(key, 9 * MIB);
  const firstPart = unreadable(key, (range) => range?.offset === 0);
  await scrubOn(0, firstPart);
  await scrubOn(1 / 4, firstPart);
  const parts = (await damageEvents()).map(({ body }) => String(body).slice(0, 6));
  expect(parts.sort()).toEqual(["Part 1", "Part 2"]);
});

test("a file that is readable again before that is not reported", async () => {
  const key = await archive([MIB]);
  await scrubOn(0, unreadable(key));
  await scrubOn(1 / 24);
  expect(reads.map((read) => read.key)).toEqual([key]);
  await scrubOn(7, unreadable(key));
  expect(await damageEvents()).toEqual([]);
});

test.each(["missing", "damaged", "unreadable"])(
  "a manifest that is %s counts as damage",
  async (fault) => {
    const key = await archive([MIB]);
    const manifest = objectKeySchema.parse(key.replace(/\.ts$/, ".manifest.json"));
    const { objects } = world.context.platform;
    if (fault === "missing") await objects.delete(manifest);
    if (fault === "damaged")
      await objects.put(manifest, new Uint8Array(9), { contentType: "application/json" });
    const change = fault === "unreadable" ? unreadable(manifest) : {};
    await scrubOn(0, change);
    expect(await damageEvents()).toEqual([]);
    for (const day of [1 / 4, 7]) await scrubOn(day, change);
    expect(await damageEvents()).toMatchObject([{ subject: key }]);
    expect(await fileOf(key)).toMatchObject({ status: "partial" });
  },
);

test("reads are throttled, and more so while archives run", async () => {
  await archive(Array.from({ length: 16 }, () => MIB));
  await scrubOn(0);
  const idleMs = sleptMs;
  expect(idleMs).toBeGreaterThan(300);
  await world.context.platform.database.run(
    sql`INSERT INTO upload_counts (status, failure_class, can_retry, uploads)
      VALUES ('processing', '', 0, 1) ON CONFLICT DO UPDATE SET uploads = 1`,
  );
  sleptMs = 0;
  await scrubOn(7);
  expect(sleptMs).toBeGreaterThan(2 * idleMs);
});

async function isDue(key: string): Promise<boolean | undefined> {
  return (await findFile(world.context.platform.database, key))?.isVerificationDue;
}

describe("what somebody asks for", () => {
  const ACTOR = { actorId: userIdSchema.parse("1005"), requestId: "r" };
  const NEVER = { SCRUB_DAYS: 0 };

  test("is read whole at once, without a pace, even if nothing else is ever read", async () => {
    const key = await archive(Array.from({ length: 10 }, () => 3 * MIB));
    const other = await archive([MIB]);
    await scrubOn(0, {}, NEVER);
    expect(reads).toEqual([]);
    await flipByte(key, 29 * MIB);
    expect(await requestVerification(world.context, objectKeySchema.parse(key), ACTOR)).toBe(true);
    expect([await isDue(key), await isDue(other)]).toEqual([true, false]);
    await scrubOn(0, {}, NEVER);
    expect([...new Set(reads.map((read) => read.key))]).toEqual([key]);
    expect(sleptMs).toBe(0);
    expect(await fileOf(key)).toMatchObject({ metadata: { damagedParts: { 4: {} } } });
    expect(await isDue(key)).toBe(false);
  });

  test("may be everything, also what was just verified", async () => {
    const keys = [await archive([MIB]), await archive([MIB])].sort();
    await scrubOn(-400);
    reads = [];
    expect(await requestEverything(world.context, ACTOR)).toBe(2);
    await scrubOn(0, {}, NEVER);
    expect(reads.map((read) => read.key).sort()).toEqual(keys);
    await scrubOn(0, {}, NEVER);
    expect(reads).toHaveLength(2);
  });

  test("is read first and from its start, also while the scrub is within it", async () => {
    const key = objectKeySchema.parse(await archive(Array.from({ length: 10 }, () => 3 * MIB)));
    await archive([MIB]);
    const { database, objects } = world.context.platform;
    await database.run(sql`UPDATE files SET verify_part = 3 WHERE object_key = ${key}`);
    const offsets: number[] = [];
    const get: typeof objects.get = async (at, range) => {
      if (range !== undefined && offsets.push(range.offset / MIB) === 1)
        await requestVerification(world.context, key, ACTOR);
      return await objects.get(at, range);
    };
    await scrubOn(0, { get }, { SCRUB_DAYS: 1 });
    expect(offsets).toEqual([16, 0, 8, 16, 24]);
  });

  test.each([
    ["a file", (key: ObjectKey) => requestVerification(world.context, key, ACTOR)],
    ["everything", () => requestEverything(world.context, ACTOR)],
  ] as const)("waits for archives that run, one part at a time: %s", async (_what, ask) => {
    const key = objectKeySchema.parse(await archive(Array.from({ length: 10 }, () => 3 * MIB)));
    const { database, objects } = world.context.platform;
    await database.run(
      sql`INSERT INTO upload_counts (status, failure_class, can_retry, uploads)
        VALUES ('processing', '', 0, 1) ON CONFLICT DO UPDATE SET uploads = 1`,
    );
    await ask(key);
    const readAtMs = new Set<number>();
    const get: typeof objects.get = (at, range) => {
      if (range !== undefined) readAtMs.add(sleptMs);
      return objects.get(at, range);
    };
    await scrubOn(0, { get }, NEVER);
    expect(readAtMs.size).toBe(4);
    expect(sleptMs).toBeGreaterThan(7_000);
  });
});

test("damage is lifted when the same parts and the manifest are read as they were proved", async () => {
  const key = await archive(Array.from({ length: 6 }, () => 3 * MIB));
  const manifest = objectKeySchema.parse(key.replace(/\.ts$/, ".manifest.json"));
  await flipByte(key, 9 * MIB);
  const firstPart = unreadable(key, (range) => range?.offset === 0);
  for (const day of [0, 1 / 4]) await scrubOn(day, firstPart);
  for (const day of [2, 2.25]) await scrubOn(day, unreadable(manifest));
  const marked = await fileOf(key);
  expect(marked.metadata).toMatchObject({
    unreadable: { part1: expect.any(String), manifest: expect.any(String) },
    damagedParts: { 2: expect.any(Object) },
  });
  // The first part is sound, the second not yet.
  await scrubOn(4);
  expect(await fileOf(key)).toMatchObject({
    status: "partial",
    metadata: { unreadable: {}, problem: expect.stringMatching(/^Part 2 /) },
  });
  await flipByte(key, 9 * MIB);
  await scrubOn(6);
  const lifted = await fileOf(key);
  expect(lifted.status).toBe("complete");
  for (const name of ["problem", "problems", "damagedParts", "unreadable", "statusBefore"])
    expect(lifted.metadata).not.toHaveProperty(name);
  expect((await damageEvents()).at(-1)).toMatchObject({
    subject: key,
    body: expect.stringContaining("as it was archived"),
  });
});

test.for(["cold", "denied"] as const)(
  "a file that the store refuses to hand out (%s) is passed over, counted, and not damaged",
  async (kind) => {
    const first = await archive([MIB]);
    const { database, objects } = world.context.platform;
    const refusing: Partial<typeof objects> = {
      get: (at, range) =>
        at === first
          ? Promise.reject(new StoreError(kind, "Reading an object: refused"))
          : objects.get(at, range),
    };
    // Unreadable before, for another reason.
    await scrubOn(-1, unreadable(first));
    for (const day of [0, 1, 2, 3]) await scrubOn(day, refusing);
    expect(await damageEvents()).toEqual([]);
    const counted = sql`SELECT key, error FROM jobs WHERE error IS NOT NULL`;
    expect(await database.all(counted)).toEqual([
      { key: first, error: "Reading an object: refused" },
    ]);
    const events = await judgeRecentEvents(world.context);
    expect(events.find(({ component }) => component === "refusals")).toMatchObject({
      status: "degraded",
      detail: expect.stringContaining("1. Reading an object: refused."),
    });
    // Unreadable again, but not for hours yet; and no longer refused.
    await scrubOn(4, unreadable(first));
    expect(await damageEvents()).toEqual([]);
    const later = await judgeRecentEvents(world.context);
    expect(later.find(({ component }) => component === "refusals")?.status).toBe("healthy");
    reads = [];
    await scrubOn(5);
    expect(reads.map((read) => read.key)).toEqual([first]);
    expect(await database.all(counted)).toEqual([]);
    expect(
      await database.all(sql`SELECT unreadable_since_at, is_refused FROM files WHERE is_refused = 1
        OR unreadable_since_at IS NOT NULL`),
    ).toEqual([]);
  },
);
