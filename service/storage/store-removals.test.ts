import { afterAll, afterEach, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { DatabaseError } from "#service/ports/database.ts";
import { StoreError, type ObjectStore } from "#service/ports/object-store.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { carryOutRemovals, planRemoval } from "./store-removals.ts";

const ALWAYS = sql`TRUE`;
const CLAIM_MS = 30_000;

const world = await openArchiveWorld();
afterAll(() => world.close());
afterEach(() => world.context.platform.database.run(sql`DELETE FROM store_removals`));

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
  const rows = await world.context.platform.database.all(
    sql`SELECT object_key FROM store_removals ORDER BY seq`,
  );
  return rows.map((row) => row.object_key);
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
  await expect(carryOutRemovals(refusing)).rejects.toBeInstanceOf(DatabaseError);
  expect(removed).toEqual([]);
  await carryOutRemovals(at(1 + CLAIM_MS, { delete: async (key) => void removed.push(key) }));
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

it("says once that the store is away, whatever waits for it", async () => {
  await plan(["one", "two", "three"]);
  const warnings: unknown[] = [];
  const warn = (...said: unknown[]) => void warnings.push(said);
  const failing = (kind: "unavailable" | "denied") => {
    const context = at(1, { delete: () => Promise.reject(new StoreError(kind, "No disk")) });
    return { ...context, log: { ...context.log, warn } };
  };
  await carryOutRemovals(failing("unavailable"));
  expect(warnings).toEqual([
    [expect.stringMatching(/away/), expect.objectContaining({ deletions: 3 })],
  ]);
  await plan(["four", "five"]);
  await carryOutRemovals(failing("denied"));
  expect(warnings).toHaveLength(3);
});

it("processes a long list five at a time, and keeps only the removals that failed", async () => {
  const names = Array.from({ length: 33 }, (_, index) => `n${index}`);
  await plan(names);
  let open = 0;
  let most = 0;
  await carryOutRemovals(
    at(1, {
      async delete(key) {
        open += 1;
        most = Math.max(most, open);
        await Promise.resolve();
        open -= 1;
        if (key === keyOf("n7")) throw new StoreError("unavailable", "Not now");
      },
    }),
  );
  expect(most).toBe(5);
  expect(await waiting()).toEqual([keyOf("n7")]);
});

it("a host with an expired claim does not remove a newer entry that reuses the row id", async () => {
  await plan(["first"]);
  await carryOutRemovals(
    at(1, {
      async delete() {
        await carryOutRemovals(at(1 + CLAIM_MS, { delete: async () => undefined }));
        // SQLite reuses the rowid of the deleted row.
        await plan(["second"]);
      },
    }),
  );
  expect(await waiting()).toEqual([keyOf("second")]);
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
    const [next] = await world.context.platform.database.all(
      sql`SELECT not_before_at FROM store_removals`,
    );
    nowMs = Number(next?.not_before_at);
  }
  return askedAtMs.slice(1).map((ms, index) => (ms - (askedAtMs[index] ?? 0)) / 1_000);
}

it.each([
  ["denied", 3_600],
  ["unavailable", 60],
  ["unmarked", 60],
] as const)("retries a removal that fails as %s with backoff up to %i s", async (kind, mostSec) => {
  const pausesSec = await pausesOf(new StoreError(kind, "Not now"));
  expect(pausesSec.slice(0, 4)).toEqual([2, 4, 8, 16]);
  expect(pausesSec.at(-1)).toBe(mostSec);
});

it("keeps why the store refuses a removal, and announces it once after a day", async () => {
  const { database } = world.context.platform;
  await plan(["locked"]);
  const announced = async () =>
    (await database.all(sql`SELECT title FROM notification_events WHERE subject = 'removals'`))
      .length;
  const counts: number[] = [];
  for (const hours of [0, 23, 25, 27]) {
    const refusals = await carryOutRemovals(
      at(1 + hours * 3_600_000, {
        delete: () => Promise.reject(new StoreError("denied", "Object Lock protects the object")),
      }),
    );
    expect(refusals.get(keyOf("locked"))).toBe("Object Lock protects the object");
    counts.push(await announced());
  }
  expect(counts).toEqual([0, 0, 1, 1]);
  expect(await database.all(sql`SELECT refusal, refused_since_at FROM store_removals`)).toEqual([
    { refusal: "Object Lock protects the object", refused_since_at: 1 },
  ]);
});
