import * as z from "zod/mini";
import { afterEach, beforeEach, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { openSqliteDatabase, type SqliteDatabase } from "#hosts/node/database.ts";
import type { ServiceContext } from "#service/context.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import { reconcilePage } from "#service/files/reconcile.ts";
import { removeStrayMultiparts } from "#service/storage/stray-multiparts.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { claimStore, OWNER_KEY, ownsStore, takeOverStore } from "./store-owner.ts";

const DAY_MS = 24 * 3_600_000;

let world: ArchiveWorld;
/** Production, and a deployment with a database of its own, on the same bucket. */
let first: ServiceContext;
let second: ServiceContext;
let otherDatabase: SqliteDatabase;
beforeEach(async () => {
  world = await openArchiveWorld();
  const { platform, settings } = world.context;
  const objects = { ...platform.objects, isShared: true };
  otherDatabase = openSqliteDatabase(":memory:");
  await migrate(otherDatabase, 0);
  first = {
    ...world.context,
    platform: { ...platform, objects },
    settings: { ...settings, PUBLIC_URL: "https://vods.example.org" },
  };
  second = {
    ...world.context,
    platform: { ...platform, objects, database: otherDatabase },
    settings: { ...settings, PUBLIC_URL: "https://staging.example.org" },
  };
});
afterEach(async () => {
  await otherDatabase.close();
  await world.close();
});

test("rejects another deployment's claim, naming the owner's address and the options", async () => {
  await claimStore(first);
  await claimStore(first);
  await expect(claimStore(second)).rejects.toMatchObject({
    name: "StoreError",
    kind: "denied",
    message: expect.stringMatching(
      /belongs to the Vodkeep at https:\/\/vods\.example\.org, since 20\S+Z\. .*prefix.* OBJECT_STORE.*npm run takeover/,
    ),
  });
  expect([await ownsStore(first), await ownsStore(second)]).toEqual([true, false]);
});

test("a restored database is the same deployment even at another address", async () => {
  await claimStore(first);
  const claimed: unknown = JSON.parse(await world.storedText(OWNER_KEY));
  const moved = { ...first, settings: second.settings };
  await claimStore(moved);
  expect(await ownsStore(first)).toBe(true);
  expect(JSON.parse(await world.storedText(OWNER_KEY))).toEqual({
    ...z.object({ deploymentId: z.string(), since: z.string() }).parse(claimed),
    publicUrl: "https://staging.example.org",
  });
});

test("only one of two concurrent claims makes its deployment the owner", async () => {
  await Promise.allSettled([claimStore(first), claimStore(second)]);
  const owners = [await ownsStore(first), await ownsStore(second)];
  expect(owners.filter((isOwner) => isOwner)).toHaveLength(1);
});

test("rejects a claim when the owner object is unreadable", async () => {
  await first.platform.objects.put(OWNER_KEY, new TextEncoder().encode("{"), {
    contentType: "application/json",
  });
  await expect(claimStore(first)).rejects.toMatchObject({ kind: "denied" });
});

/** The removals planned and orphans marked by a deployment `daysAhead` days later. */
async function lookAfter(context: ServiceContext, daysAhead: number): Promise<readonly unknown[]> {
  const { clock } = context.platform;
  const now = () => clock.now() + daysAhead * DAY_MS;
  const later = { ...context, platform: { ...context.platform, clock: { ...clock, now } } };
  await removeStrayMultiparts(later);
  while (await reconcilePage(later));
  return await context.platform.database.all(sql`
    SELECT object_key FROM store_removals
    UNION ALL SELECT object_key FROM files WHERE status = 'orphaned'`);
}

test("a deployment that does not own the store removes nothing and marks no orphans", async () => {
  const { objects } = first.platform;
  await claimStore(first);
  const bytes = new TextEncoder().encode("bytes");
  for (const key of ["vods/1/2/3.ts", "tails/upload/0-1"])
    await objects.put(objectKeySchema.parse(key), bytes, { contentType: "video/mp2t" });
  await objects.createMultipart(objectKeySchema.parse("vods/1/2/4.ts"), {
    contentType: "video/mp2t",
  });
  for (const daysAhead of [2, 3, 4]) expect(await lookAfter(second, daysAhead)).toEqual([]);
  expect(world.log()).toContain("belongs to another deployment");

  const former = await takeOverStore(second);
  expect(former?.publicUrl).toBe("https://vods.example.org");
  expect(await takeOverStore(second)).toBeNull();
  await expect(claimStore(first)).rejects.toThrow("https://staging.example.org");
  expect(await lookAfter(second, 5)).toContainEqual({ object_key: "vods/1/2/3.ts" });
});
