import { afterEach, expect, test } from "vitest";
import { errorBodySchema } from "#contract/errors.ts";
import { CALLS } from "#contract/registry.ts";
import { StoreError } from "#service/ports/object-store.ts";
import type { Platform } from "#service/platform.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";

/** Maximum duration of an answer while a part of the platform is down. */
const ANSWER_WITHIN_MS = 8_000;

const reads = CALLS.filter((call) => call.method === "GET" && call.stream !== true);

let vodkeep: TestService | null = null;
afterEach(async () => {
  await vodkeep?.close();
  vodkeep = null;
});

/** A service with a part that can be broken after a sign-in. */
async function startWith(change: (platform: Platform, isBroken: () => boolean) => Platform) {
  let isBroken = false;
  vodkeep = await startTestService({
    changePlatform: (platform) => change(platform, () => isBroken),
  });
  const admin = await vodkeep.signIn(ADMIN);
  isBroken = true;
  return { admin, mend: () => (isBroken = false) };
}

function failing<Args extends readonly unknown[], Answer>(
  work: (...args: Args) => Promise<Answer>,
  isBroken: () => boolean,
  failure: () => Error,
): (...args: Args) => Promise<Answer> {
  return async (...args) => {
    if (isBroken()) throw failure();
    return await work(...args);
  };
}

const databaseAway = () => new Error("SQLITE_IOERR: disk I/O error in /var/lib/secret/path");
const storeAway = () => new StoreError("unavailable", "The store does not answer");
const cacheAway = () => new Error("KV GET failed: 503");

test("without the database, reads return standard errors in time and reveal no internals", async () => {
  const { admin, mend } = await startWith(({ database, ...rest }, isBroken) => {
    return {
      ...rest,
      database: {
        all: failing((statement) => database.all(statement), isBroken, databaseAway),
        run: failing((statement) => database.run(statement), isBroken, databaseAway),
        batch: failing((statements) => database.batch(statements), isBroken, databaseAway),
      },
    };
  });
  for (const call of reads) {
    const startedMs = performance.now();
    const answer = await admin.call("GET", addressOf(call));
    expect(performance.now() - startedMs).toBeLessThan(ANSWER_WITHIN_MS);
    // Some answers need no database.
    expect([200, 302, 500, 503]).toContain(answer.status);
    expect(answer.text).not.toMatch(/SQLITE|secret/);
    expect(
      answer.status === 200 || errorBodySchema.safeParse(JSON.parse(answer.text)).success,
    ).toBe(true);
  }
  mend();
  expect((await admin.call("GET", "/admin/uploads")).status).toBe(200);
});

test.for<[string, (platform: Platform, isBroken: () => boolean) => Platform]>([
  [
    "store",
    ({ objects, ...rest }, isBroken) => ({
      ...rest,
      objects: {
        ...objects,
        get: failing((key, range) => objects.get(key, range), isBroken, storeAway),
        head: failing((key) => objects.head(key), isBroken, storeAway),
        list: failing((options) => objects.list(options), isBroken, storeAway),
      },
    }),
  ],
  [
    "cache",
    ({ cache, ...rest }, isBroken) => ({
      ...rest,
      cache: {
        get: failing((key) => cache.get(key), isBroken, cacheAway),
        set: failing((key, value, ms) => cache.set(key, value, ms), isBroken, cacheAway),
        clear: failing(() => cache.clear(), isBroken, cacheAway),
      },
    }),
  ],
])("without the %s, all indexed data can still be read", async ([, change]) => {
  const { admin } = await startWith(change);
  for (const call of reads.filter(({ path }) => !path.includes("{")))
    expect([call.path, (await admin.call("GET", addressOf(call))).status]).toEqual([
      call.path,
      200,
    ]);
});
