import { afterAll, afterEach, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { DatabaseError } from "#service/ports/database.ts";
import { StoreError, type ObjectStore } from "#service/ports/object-store.ts";
import { optionsOf } from "#service/jobs/job-kinds.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { carryOutRemovals, planRemoval } from "./store-removals.ts";

const ALWAYS = sql`TRUE`;
const LEASE_MS = optionsOf("removal").leaseMs;

const world = await openArchiveWorld();
afterAll(() => world.close());
afterEach(() => world.context.platform.database.run(sql`DELETE FROM jobs`));

const keyOf = (name: string) => objectKeySchema.parse(`vods/1/2/${name}.ts`);

/** A context with a fixed time and a store with changed methods. */
function at(nowMs: number, change: Partial<ObjectStore> = {}): ServiceContext {
  const { platform } = world.context;
  return {
    ...world.context,
    platform: {
      ...platform,
      clock: { ...platform.clock, now: () => nowMs },
      objects: { ...platform.objects, ...change },
    },
  };
}

async function plan(names: readonly string[]): Promise<void> {
  await world.context.platform.database.batch(
    names.map((name) => planRemoval({ key: keyOf(name), multipartId: null }, 0, ALWAYS)),
  );
}

async function waiting(): Promise<unknown[]> {
  const rows = await world.context.platform.database.all(sql`SELECT key FROM jobs ORDER BY key`);
  return rows.map((row) => row.key);
}

it("removes nothing from the store before the removal plan is synced to disk", async () => {
  await plan(["kept"]);
  const removed: string[] = [];
  const context = at(1, { delete: async (key) => void removed.push(key) });
  const database = {
    ...context.platform.database,
    fsync: () => Promise.reject(new DatabaseError("unavailable", "The disk refused")),
  };
  const refusing = { ...context, platform: { ...context.platform, database } };
  await carryOutRemovals(refusing);
  expect(removed).toEqual([]);
  await carryOutRemovals(at(1 + LEASE_MS, { delete: async (key) => void removed.push(key) }));
  expect(removed).toEqual([keyOf("kept")]);
});

it("aborts a multipart upload before deleting its key, in the same run", async () => {
  const { database, objects } = world.context.platform;
  const handle = await objects.createMultipart(keyOf("both"), { contentType: "video/mp2t" });
  await plan(["both"]);
  await database.run(planRemoval(handle, 0, ALWAYS));
  const order: string[] = [];
  await carryOutRemovals(
    at(1, {
      abortMultipart: async () => void order.push("abort"),
      delete: async () => void order.push("delete"),
    }),
  );
  expect(order).toEqual(["abort", "delete"]);
  expect(await waiting()).toEqual([]);
});

it("deletes no key whose multipart upload could not be aborted yet", async () => {
  const { database, objects } = world.context.platform;
  const handle = await objects.createMultipart(keyOf("both"), { contentType: "video/mp2t" });
  await plan(["both"]);
  await database.run(planRemoval(handle, 0, ALWAYS));
  const error = new StoreError("unavailable", "Not now");
  await carryOutRemovals(at(1, { abortMultipart: () => Promise.reject(error) }));
  expect(await waiting()).toHaveLength(2);
});

it("processes a long list five at a time, and keeps only the removals that failed", async () => {
  const names = Array.from({ length: 33 }, (_, index) => `n${index}`);
  await plan(names);
  const full = Promise.withResolvers<void>();
  let open = 0;
  let most = 0;
  await carryOutRemovals(
    at(1, {
      async delete(key) {
        open += 1;
        most = Math.max(most, open);
        if (open === 5) full.resolve();
        await full.promise;
        open -= 1;
        if (key === keyOf("n7")) throw new StoreError("unavailable", "Not now");
      },
    }),
  );
  expect(most).toBe(5);
  expect(await waiting()).toEqual([keyOf("n7")]);
});

it("a host with an expired lease does not end a removal that was planned again", async () => {
  await plan(["first"]);
  await carryOutRemovals(
    at(1, {
      async delete() {
        await carryOutRemovals(at(1 + LEASE_MS, { delete: async () => undefined }));
        await plan(["first"]);
      },
    }),
  );
  expect(await waiting()).toEqual([keyOf("first")]);
});

/** The pauses between fifteen attempts that fail in this way, in seconds. */
async function pausesOf(error: StoreError): Promise<readonly number[]> {
  await plan(["stays"]);
  const askedAtMs: number[] = [];
  let nowMs = 1;
  for (let tries = 0; tries < 15; tries += 1) {
    await carryOutRemovals(
      at(nowMs, {
        async delete() {
          askedAtMs.push(nowMs);
          throw error;
        },
      }),
    );
    const [next] = await world.context.platform.database.all(sql`SELECT due_at FROM jobs`);
    nowMs = Number(next?.due_at);
  }
  return askedAtMs.slice(1).map((ms, index) => (ms - (askedAtMs[index] ?? 0)) / 1_000);
}

it.each([
  ["denied", 3_600],
  ["unavailable", 60],
  ["unmarked", 60],
] as const)("retries a removal that fails as %s with backoff up to %i s", async (kind, mostSec) => {
  const pausesSec = await pausesOf(new StoreError(kind, "Not now"));
  expect(Math.max(...pausesSec)).toBeLessThanOrEqual(mostSec);
  expect(pausesSec.at(-1)).toBeGreaterThanOrEqual(mostSec / 2);
});

it("keeps why the store refuses a removal, and announces it once after a day", async () => {
  const { database } = world.context.platform;
  await plan(["locked"]);
  const announced = async () =>
    (await database.all(sql`SELECT title FROM notification_events WHERE subject = 'removals'`))
      .length;
  const counts: number[] = [];
  for (const hours of [0, 23, 25, 27]) {
    await carryOutRemovals(
      at(1 + hours * 3_600_000, {
        delete: () => Promise.reject(new StoreError("denied", "Object Lock protects the object")),
      }),
    );
    counts.push(await announced());
  }
  expect(counts).toEqual([0, 0, 1, 1]);
  expect(await database.all(sql`SELECT error, failing_since_at FROM jobs`)).toEqual([
    { error: "Object Lock protects the object", failing_since_at: 1 },
  ]);
});
