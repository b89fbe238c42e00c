import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { recordDeadLetters } from "#hosts/cloudflare/dead-letters.ts";
import { createWorkerLogSink } from "#hosts/cloudflare/log-sink.ts";
import { SLICE } from "#hosts/cloudflare/slice.ts";
import { withoutRepeats } from "#hosts/cloudflare/sparse-queue.ts";
import { createWakeUpConsumer } from "#hosts/cloudflare/wake-up-consumer.ts";
import { openSqliteDatabase, type SqliteDatabase } from "#hosts/node/database.ts";
import { breakable } from "#hosts/node/breakable-body.ts";
import { createLiveHub } from "#hosts/node/live-hub.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { createArchiver } from "#service/archiver/archiver.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import type { ResumeQueue } from "#service/ports/resume-queue.ts";
import type { Platform } from "#service/platform.ts";
import { readSettings } from "#service/settings.ts";
import { createLogger } from "#service/system/logger.ts";
import { createMemoryStore } from "#service/testing/memory-store.ts";
import { makeSource } from "#service/testing/made-source.ts";
import { createTestClock } from "#service/testing/test-clock.ts";
import { SourceError } from "#service/hls/source-error.ts";
import * as z from "zod/mini";
import { createModelQueue } from "./model-queue.ts";

/**
 * Tests the Worker's own consumers over a queue that loses, duplicates, delays and reorders
 * messages, and delivers some that were never sent. Two isolates take them in turn or at once.
 */
const ISOLATES = 2;

/** Fewer than in wrangler.jsonc, where each takes seconds. */
const MAX_RETRIES = 3;

/** A sequence needs two or three sweeps; by this number it has ended. */
const MAX_SWEEPS = 20;

/** Longer than leases and the sweeper's own delays. */
const BETWEEN_SWEEPS_MS = 31_000;

const GONE = "404";

const clock = createTestClock();
const store = createMemoryStore();
let database: SqliteDatabase;
beforeAll(async () => {
  database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
  await database.run(
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('7', 'maker', 'Maker', 0)`,
  );
});
afterAll(() => database.close());

const made = makeSource([20]);
const source: typeof made = {
  ...made,
  async getVideo(id, signal) {
    if (id === GONE) throw new SourceError("gone_at_source", "The VOD is no longer there.");
    return await made.getVideo(id, signal);
  },
};

function digestWith(algorithm: string) {
  return async (bytes: Uint8Array) => createHash(algorithm).update(bytes).digest("hex");
}

function openArchiver(queue: ResumeQueue) {
  const logs = { write: () => undefined };
  const platform: Platform = {
    database,
    objects: store,
    cache: { get: async () => null, set: async () => undefined, clear: async () => 0 },
    queue,
    hub: createLiveHub(clock),
    scheduler: { every: () => undefined },
    fetch: async () => new Response(null, { status: 500 }),
    clock,
    random: systemRandom,
    logs,
    digests: { sha256: digestWith("sha256"), md5: digestWith("md5") },
    telemetry: null,
    mail: null,
    breakable,
    runtime: {
      startedAt: new Date(0),
      host: "model",
      ...SLICE,
      archiveConcurrency: 1,
      isSoleWriter: false,
    },
  };
  return createArchiver(
    { platform, settings: readSettings({}), log: createLogger(clock, logs) },
    source,
  );
}

let uploads = 0;

async function addUpload(vodId: string): Promise<string> {
  uploads += 1;
  const id = `upload-${uploads}`;
  await database.run(sql`
    INSERT INTO uploads (id, kind, vod_id, filename, owner_id, rights, status, max_retries,
      created_at, updated_at)
    VALUES (${id}, 'twitch', ${vodId}, 'planned', '7', 'administrator_confirmed', 'pending', 3, 0, 0)`);
  return id;
}

async function outcomeOf(uploadId: string) {
  const [upload] = await database.all(
    sql`SELECT status, vod_id FROM uploads WHERE id = ${uploadId}`,
  );
  const events = await database.all(
    sql`SELECT type FROM notification_events WHERE subject = ${uploadId}`,
  );
  return {
    status: upload?.status,
    events: events.map((row) => row.type),
    isStored: store.objects.has(`vods/7/${String(upload?.vod_id)}/${uploadId}.ts`),
  };
}

async function isOpen(ids: readonly string[]): Promise<boolean> {
  const states = await Promise.all(ids.map(outcomeOf));
  return states.some(({ status }) => status === "pending" || status === "processing");
}

const metaSchema = z.object({ body: z.unknown() });

async function deadLetterBodies(): Promise<unknown[]> {
  const rows = await database.all(
    sql`SELECT meta FROM logs WHERE message = 'A wake-up was given up' AND level = 'error'`,
  );
  return rows.map((row) => metaSchema.parse(JSON.parse(String(row.meta))).body);
}

const fate = fc.record({
  copies: fc.constantFrom(0, 1, 1, 2, 3),
  delaySteps: fc.integer({ min: 0, max: 6 }),
});
const sequences = fc.record({
  vods: fc.array(fc.constantFrom("1", "2", "3", GONE), { minLength: 1, maxLength: 3 }),
  fates: fc.array(fate, { maxLength: 12 }),
  poison: fc.array(fc.constantFrom("not a wake-up", null, { uploadId: 7 }, {}), { maxLength: 2 }),
  strangers: fc.array(fc.constantFrom("no-such-upload", ""), { maxLength: 2 }),
  /** Whether the n-th delivery runs concurrently with the next. */
  together: fc.array(fc.boolean(), { maxLength: 8 }),
});

it("whatever a queue does to its messages: one object, one end, one notification", async () => {
  let ended = 0;
  await fc.assert(
    fc.asyncProperty(sequences, async ({ vods, fates, poison, strangers, together }) => {
      await database.run(sql`DELETE FROM logs`);
      const model = createModelQueue(fates, MAX_RETRIES);
      const isolates = Array.from({ length: ISOLATES }, () => ({
        consume: createWakeUpConsumer(),
        archiver: openArchiver(model.queue),
      }));
      const scheduler = openArchiver(withoutRepeats(model.queue, clock));
      const ids = await Promise.all(vods.map(addUpload));
      for (const uploadId of ids) await model.queue.send({ uploadId });
      for (const uploadId of strangers) await model.queue.send({ uploadId });
      for (const body of poison) model.put(body);

      async function deliver(isolate: number): Promise<boolean> {
        const chosen = isolates[isolate % ISOLATES];
        const batch = model.take();
        if (batch === null || chosen === undefined) return false;
        await chosen.consume(batch, async () => ({
          logs: { write: () => undefined },
          consume: (message) => chosen.archiver.consume(message),
          end: async () => undefined,
        }));
        return true;
      }

      async function deliverAll(): Promise<void> {
        for (let index = 0; ; index += 1) {
          const count = together[index] === true ? 2 : 1;
          const deliveries = Array.from({ length: count }, (_, offset) => deliver(index + offset));
          if (!(await Promise.all(deliveries)).includes(true)) return;
        }
      }

      await deliverAll();
      for (let sweeps = 0; sweeps < MAX_SWEEPS && (await isOpen(ids)); sweeps += 1) {
        clock.advance(BETWEEN_SWEEPS_MS);
        await scheduler.sweep();
        await deliverAll();
      }
      const logs = createWorkerLogSink({ log: () => undefined });
      const dead = model.takeDead();
      for (const batch of dead) await recordDeadLetters(batch, database, logs);

      expect(await Promise.all(ids.map(outcomeOf))).toEqual(
        vods.map((vod) =>
          vod === GONE
            ? { status: "failed", events: ["upload_failed"], isStored: false }
            : { status: "completed", events: ["upload_completed"], isStored: true },
        ),
      );
      const bodies = await deadLetterBodies();
      expect(bodies).toHaveLength(dead.length);
      for (const body of bodies) expect(poison).toContainEqual(body);
      ended += ids.length;
    }),
    { numRuns: 1_000 },
  );
  const [parts] = await database.all(sql`SELECT count(*) AS n FROM upload_parts`);
  expect({ parts: parts?.n, multiparts: store.openMultiparts }).toEqual({
    parts: 0,
    multiparts: 0,
  });
  expect(ended).toBeGreaterThan(1_000);
}, 600_000);
