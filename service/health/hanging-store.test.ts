import { afterEach, beforeEach, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { createBeatScheduler, type BeatScheduler } from "#hosts/cloudflare/beat-scheduler.ts";
import { sql } from "#service/db/sql.ts";
import type { WakeUp } from "#service/ports/resume-queue.ts";
import { planRemoval } from "#service/storage/store-removals.ts";
import { PROBE_KEY } from "#service/store/store-probe.ts";
import { startTestService, type TestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { readHealth } from "./health-store.ts";

const ROUND_MS = 3_000;

let vodkeep: TestService;
let scheduler: BeatScheduler;
let woken: WakeUp[];
/** Deletions get no answer until this is resolved, except the health probe's. */
let silence: PromiseWithResolvers<void>;
beforeEach(async () => {
  woken = [];
  silence = Promise.withResolvers();
  vodkeep = await startTestService({
    changePlatform: (platform) => {
      scheduler = createBeatScheduler(platform.clock, platform.logs);
      return {
        ...platform,
        scheduler,
        queue: { ...platform.queue, send: async (wakeUp) => void woken.push(wakeUp) },
        objects: {
          ...platform.objects,
          delete: (key) => (key === PROBE_KEY ? platform.objects.delete(key) : silence.promise),
        },
      };
    },
  });
});
afterEach(() => vodkeep.close());

test("while the store answers no deletion, uploads are woken and flagged, and the workers stay healthy", async () => {
  const { database, runtime } = vodkeep.platform;
  const { clock } = vodkeep;
  const nowMs = clock.now();
  await database.batch(
    Array.from({ length: 10 }, (_, index) =>
      planRemoval(
        { key: objectKeySchema.parse(`vods/1/${index}.ts`), multipartId: null },
        nowMs,
        sql`TRUE`,
      ),
    ),
  );
  vodkeep.service.start();
  const first = scheduler.beat();
  const health = () => readHealth(database, runtime.startedAt, clock.now());
  await expect.poll(async () => (await health()).r2Storage.status).not.toBe("unknown");
  await seedUpload(database, { id: "waiting" });
  await seedUpload(database, { id: "silent", status: "processing", atMs: nowMs });
  await database.run(sql`
    UPDATE uploads SET kind = 'manual', source_bytes = 2, lease_until = NULL WHERE id = 'silent'`);
  for (let passedMs = 0; passedMs < 700_000; passedMs += ROUND_MS) {
    clock.advance(ROUND_MS);
    await scheduler.beat();
  }
  expect((await health()).workers).toEqual({ status: "healthy", detail: null });
  expect(
    await database.all(sql`SELECT title FROM notification_events WHERE subject = 'workers'`),
  ).toEqual([]);
  expect(woken).toContainEqual({ uploadId: "waiting" });
  expect(await database.all(sql`SELECT id FROM uploads WHERE stalled_at IS NOT NULL`)).toEqual([
    { id: "silent" },
  ]);
  silence.resolve();
  await first;
});
