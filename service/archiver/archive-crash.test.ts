import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { afterEach, expect, it } from "vitest";
import { openSqliteDatabase, type SqliteDatabase } from "#hosts/node/database.ts";
import { breakable } from "#hosts/node/breakable-body.ts";
import { createLiveHub } from "#hosts/node/live-hub.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import type { ServiceContext } from "#service/context.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import type { TagAlgorithm } from "#service/ports/object-store.ts";
import type { Platform } from "#service/platform.ts";
import { readSettings } from "#service/settings.ts";
import { createLogger } from "#service/system/logger.ts";
import { createDyingPlatform, type Death } from "#service/testing/dying-platform.ts";
import { makeSource, type MadeSource, type SegmentFault } from "#service/testing/made-source.ts";
import { createMemoryStore, type MemoryStore } from "#service/testing/memory-store.ts";
import { createSwiftClock } from "#service/testing/swift-clock.ts";
import { removeUnownedMultiparts } from "#service/files/unowned-leftovers.ts";
import { createArchiver } from "./archiver.ts";
import { MAX_WRONG_BODIES } from "./unit-fetch.ts";

/**
 * The archiver with fake ports, in one process: segments of any size, faults of the source, and
 * crashes at any call to the database or the store.
 */
const UPLOAD = "upload-1";

let opened: SqliteDatabase[] = [];
afterEach(async () => {
  for (const database of opened) await database.close();
  opened = [];
});

type World = {
  readonly platform: Platform;
  readonly store: MemoryStore;
  contextOf(platform: Platform): ServiceContext;
};

function digestWith(algorithm: string) {
  return async (bytes: Uint8Array) => createHash(algorithm).update(bytes).digest("hex");
}

async function openWorld(
  partTagAlgorithm: TagAlgorithm = "sha-256",
  checkpointBytes = 0,
): Promise<World> {
  const database = openSqliteDatabase(":memory:");
  opened.push(database);
  const clock = createSwiftClock(500);
  await migrate(database, 0);
  await database.batch([
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('7', 'maker', 'Maker', 0)`,
    sql`INSERT INTO uploads (id, kind, vod_id, filename, owner_id, rights, status, max_retries,
        created_at, updated_at)
      VALUES (${UPLOAD}, 'twitch', '1', 'planned', '7', 'administrator_confirmed', 'pending', 3, 0, 0)`,
  ]);
  const store = createMemoryStore(partTagAlgorithm);
  const logs = { write: () => undefined };
  const platform: Platform = {
    database,
    objects: store,
    cache: { get: async () => null, set: async () => undefined, clear: async () => 0 },
    queue: { send: async () => undefined, backlog: async () => null },
    hub: createLiveHub(clock),
    scheduler: { every: () => undefined },
    fetch: async () => new Response(null, { status: 500 }),
    clock,
    random: systemRandom,
    logs,
    digests: { sha256: digestWith("sha256"), md5: digestWith("md5") },
    breakable,
    telemetry: null,
    mail: null,
    runtime: {
      startedAt: new Date(clock.now()),
      host: "test",
      copyBufferBytes: 48 * 1024 * 1024,
      bodyBufferBytes: 64 * 1024 * 1024,
      connectionsPerArchive: 6,
      sliceMs: 3_600_000,
      longestRunMs: Infinity,
      checkpointBytes,
      progressEveryMs: 1_000,
      archiveConcurrency: 1,
      isSoleWriter: true,
    },
  };
  return {
    platform,
    store,
    contextOf: (changed) => ({
      platform: changed,
      settings: readSettings({}),
      log: createLogger(clock, logs),
    }),
  };
}

async function readStatus(world: World): Promise<unknown> {
  const [row] = await world.platform.database.all(sql`
    SELECT status FROM uploads WHERE id = ${UPLOAD}`);
  return row?.status;
}

/** Runs the archiver until the upload has ended. */
async function finish(world: World, source: MadeSource): Promise<void> {
  const archiver = createArchiver(world.contextOf(world.platform), source);
  for (let round = 0; round < 200; round += 1) {
    await archiver.consume({ uploadId: UPLOAD });
    const status = await readStatus(world);
    if (status !== "pending" && status !== "processing") break;
    await world.platform.clock.sleep(2_000);
  }
  await removeUnownedMultiparts(world.contextOf(world.platform));
  await archiver.sweep();
}

/** Runs one process until it dies, or until its work on the upload is done. */
async function live(world: World, source: MadeSource, death: Death): Promise<void> {
  const dying = createDyingPlatform(world.platform, death);
  const archiver = createArchiver(world.contextOf(dying.platform), source);
  await Promise.race([archiver.consume({ uploadId: UPLOAD }), dying.died]);
}

/** The final state of the upload, the store and the notifications. */
async function outcomeOf(world: World) {
  const { database } = world.platform;
  const stored = world.store.objects.get(`vods/7/1/${UPLOAD}.ts`);
  const events = await database.all(sql`
    SELECT type FROM notification_events WHERE subject = ${UPLOAD}`);
  return {
    status: await readStatus(world),
    sha256: stored === undefined ? "nothing stored" : digestOf([stored]),
    keys: [...world.store.objects.keys()].toSorted(),
    openMultiparts: world.store.openMultiparts,
    checkpointRows: (await database.all(sql`SELECT 1 FROM upload_parts`)).length,
    events: events.map((row) => row.type),
  };
}

/** Completed with identical bytes, one notification and no leftovers. */
function completionOf(source: MadeSource): Awaited<ReturnType<typeof outcomeOf>> {
  return {
    status: "completed",
    sha256: digestOf(source.segments),
    keys: ["chat.json", "m3u8", "manifest.json", "ts"].map((end) => `vods/7/1/${UPLOAD}.${end}`),
    openMultiparts: 0,
    checkpointRows: 0,
    events: ["upload_completed"],
  };
}

function digestOf(pieces: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}

/** Segments of up to 13 MB: smaller than a part, about a part, and larger. */
const packetCounts = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 30_000, max: 70_000 })),
  { minLength: 1, maxLength: 6 },
);
/** Fewer wrong bodies than the limit for a damaged source, even if one segment gets all of them. */
const faults = fc
  .array(
    fc.option(fc.constantFrom<SegmentFault>("unavailable", "short", "page", "broken"), {
      freq: 2,
      nil: undefined,
    }),
    { maxLength: 12 },
  )
  .filter((list) => list.filter((fault) => fault === "page").length < MAX_WRONG_BODIES);
const deaths = fc.array(
  fc.record({ atCall: fc.integer({ min: 1, max: 60 }), isAfterEffect: fc.boolean() }),
  { maxLength: 4 },
);

/** Record each part at once, or two with one write. */
const checkpoints = fc.constantFrom(0, 16 * 1024 * 1024);

it("whatever the sizes, faults and crashes, completed means the source's bytes", async () => {
  await fc.assert(
    fc.asyncProperty(
      packetCounts,
      faults,
      deaths,
      checkpoints,
      async (counts, faultList, deathList, checkpointBytes) => {
        const world = await openWorld("sha-256", checkpointBytes);
        const source = makeSource(counts, (request) => faultList[request]);
        for (const death of deathList) await live(world, source, { kind: "vanish", ...death });
        await finish(world, source);
        expect(await outcomeOf(world)).toEqual(completionOf(source));
      },
    ),
    { numRuns: 40 },
  );
}, 120_000);

it("a crash at each single call in turn, before and after its effect, loses nothing", async () => {
  // Three parts of 8 MiB, cut inside segments. A source without faults can be shared by all worlds.
  const source = makeSource([45_000, 100, 45_000]);
  const completion = completionOf(source);
  const measured = await openWorld();
  const dying = createDyingPlatform(measured.platform, {
    kind: "vanish",
    atCall: Infinity,
    isAfterEffect: false,
  });
  await createArchiver(measured.contextOf(dying.platform), source).consume({ uploadId: UPLOAD });
  for (let atCall = 1; atCall <= dying.calls(); atCall += 1) {
    for (const isAfterEffect of [false, true]) {
      const world = await openWorld();
      await live(world, source, { kind: "vanish", atCall, isAfterEffect });
      await finish(world, source);
      expect(await outcomeOf(world)).toEqual(completion);
    }
  }
}, 120_000);

it("a process that slept through its replacement changes nothing when it wakes", async () => {
  await fc.assert(
    fc.asyncProperty(packetCounts, fc.integer({ min: 1, max: 50 }), async (counts, atCall) => {
      const world = await openWorld();
      const source = makeSource(counts);
      const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
      const dying = createDyingPlatform(world.platform, { kind: "sleep", atCall, wake: woken });
      const sleeper = createArchiver(world.contextOf(dying.platform), source).consume({
        uploadId: UPLOAD,
      });
      await Promise.race([sleeper, dying.died]);
      await finish(world, source);
      wake();
      await sleeper;
      await world.platform.clock.sleep(20_000);
      await removeUnownedMultiparts(world.contextOf(world.platform));
      await createArchiver(world.contextOf(world.platform), source).sweep();
      expect(await outcomeOf(world)).toEqual(completionOf(source));
    }),
    { numRuns: 30 },
  );
}, 120_000);

it.each(["sha-256", "md5", "none"] as const)(
  "a store with %s tags that damages each part is never taken for complete",
  async (algorithm) => {
    const world = await openWorld(algorithm);
    world.store.spoil = (bytes) => {
      bytes[bytes.byteLength >> 1] = (bytes[bytes.byteLength >> 1] ?? 0) ^ 1;
      return bytes;
    };
    await finish(world, makeSource([60_000, 10]));
    const [row] = await world.platform.database.all(sql`
      SELECT status, failure_class FROM uploads WHERE id = ${UPLOAD}`);
    expect(row).toEqual({ status: "failed", failure_class: "storage" });
  },
);

it.each(["sha-256", "md5", "none"] as const)(
  "a store with %s tags that keeps its promise completes",
  async (algorithm) => {
    const world = await openWorld(algorithm);
    const source = makeSource([60_000, 10, 45_000]);
    await finish(world, source);
    expect(await outcomeOf(world)).toEqual(completionOf(source));
  },
);
