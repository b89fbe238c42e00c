import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import { openSqliteDatabase, type SqliteDatabase } from "#hosts/node/database.ts";
import type { ServiceContext } from "#service/context.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import { reconcilePage } from "#service/proof/reconcile.ts";
import { type ObjectStore, StoreError } from "#service/ports/object-store.ts";
import { removeStrayMultiparts } from "#service/storage/stray-multiparts.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { createOwnedStore } from "./owned-store.ts";
import { claimStore, OWNER_KEY, supersede, takeOverStore } from "./store-owner.ts";
import { pingStore, PROBE_KEY } from "./store-probe.ts";

const DAY_MS = 24 * 3_600_000;
const KEY = objectKeySchema.parse("vods/1/2/3.ts");
const BYTES = new TextEncoder().encode("bytes");
const AS_VIDEO = { contentType: "video/mp2t" };

let world: ArchiveWorld;
/** Production, and a deployment with a database of its own, on the same store. */
let first: ServiceContext;
let second: ServiceContext;
let otherDatabase: SqliteDatabase;
beforeEach(async () => {
  world = await openArchiveWorld();
  const { platform, settings } = world.context;
  otherDatabase = openSqliteDatabase(":memory:");
  await migrate(otherDatabase, 0);
  first = {
    ...world.context,
    settings: { ...settings, PUBLIC_URL: "https://vods.example.org" },
  };
  second = {
    ...world.context,
    platform: { ...platform, database: otherDatabase },
    settings: { ...settings, PUBLIC_URL: "https://staging.example.org" },
  };
});
afterEach(async () => {
  await otherDatabase.close();
  await world.close();
});

/** The deployment as it works: on its store only while this is its own. */
function owning(context: ServiceContext): ServiceContext {
  const objects = createOwnedStore(context.platform.objects, context);
  return { ...context, platform: { ...context.platform, objects } };
}

test("rejects another deployment's claim, naming the owner's address and the options", async () => {
  await claimStore(first);
  await claimStore(first);
  await expect(claimStore(second)).rejects.toMatchObject({
    name: "StoreError",
    kind: "foreign",
    message: expect.stringMatching(
      /belongs to the Vodkeep at https:\/\/vods\.example\.org, since 20\S+Z\. .*prefix.* OBJECT_STORE.*vodkeep takeover/,
    ),
  });
});

test("a ping fails in another deployment's store, even while that one probes it", async () => {
  await claimStore(first);
  await pingStore(owning(first));
  await first.platform.objects.put(PROBE_KEY, BYTES, { contentType: "text/plain" });
  await expect(pingStore(owning(second))).rejects.toMatchObject({ kind: "foreign" });
});

test("a restored database is the same deployment even at another address", async () => {
  await claimStore(first);
  const claimed: unknown = JSON.parse(await world.storedText(OWNER_KEY));
  await claimStore({ ...first, settings: second.settings });
  expect(JSON.parse(await world.storedText(OWNER_KEY))).toMatchObject({
    ...z.object({ deploymentId: z.string(), since: z.string() }).parse(claimed),
    publicUrl: "https://staging.example.org",
  });
});

test("a mark of the version before has no generation, and is ours", async () => {
  await claimStore(first);
  const { generation: _none, ...mark } = z
    .looseObject({ generation: z.number(), instance: z.string() })
    .parse(JSON.parse(await world.storedText(OWNER_KEY)));
  const old = { ...mark, instance: undefined };
  await first.platform.objects.put(OWNER_KEY, new TextEncoder().encode(JSON.stringify(old)), {
    contentType: "application/json",
  });
  await claimStore(first);
  expect(JSON.parse(await world.storedText(OWNER_KEY))).toMatchObject({ generation: 0 });
});

test.each<[string, () => Promise<unknown>, string]>([
  ["restored", () => supersede(second.platform), "foreign"],
  ["only started", async () => undefined, ""],
])(
  "beside a copy that was %s, the original writes and deletes nothing for an hour",
  async (_how, prepare, restarted) => {
    const { clock } = first.platform;
    let passedMs = 0;
    const passing = { ...clock, monotonic: () => clock.monotonic() + passedMs };
    const owned = (context: ServiceContext) =>
      owning({ ...context, platform: { ...context.platform, clock: passing } }).platform.objects;
    const original = owned(first);
    await original.put(KEY, BYTES, AS_VIDEO);
    const multipart = await original.createMultipart(KEY, AS_VIDEO);
    const [row] = await first.platform.database.all(sql`SELECT * FROM deployment`);
    await otherDatabase.run(sql`UPDATE deployment SET store_claimed_at = 0,
      deployment_id = ${String(row?.["deployment_id"])}, generation = ${Number(row?.["generation"])},
      store_instance = ${String(row?.["store_instance"])}`);
    await prepare();
    const copy = owned(second);
    await copy.put(KEY, BYTES, AS_VIDEO);
    // The original saw its own mark just now.
    const late = objectKeySchema.parse("vods/1/2/4.ts");
    expect(await kindOf(original.put(late, BYTES, AS_VIDEO))).toBe("foreign");
    expect(await copy.head(late)).toBeNull();
    expect(await kindOf(original.delete(KEY))).toBe("foreign");
    expect(await kindOf(original.abortMultipart(multipart))).toBe("foreign");
    expect(await copy.head(KEY)).not.toBeNull();
    // Each look after the first claims the store anew, and must not win it back.
    for (let minutes = 0; minutes < 60; minutes += 5) {
      passedMs += 300_000;
      await expect(original.put(KEY, BYTES, AS_VIDEO)).rejects.toThrow(
        "another copy of this Vodkeep",
      );
      expect(await kindOf(original.delete(KEY))).toBe("foreign");
      expect(await kindOf(copy.put(KEY, BYTES, AS_VIDEO))).toBe("");
    }
    expect(await kindOf(owning(first).platform.objects.put(KEY, BYTES, AS_VIDEO))).toBe(restarted);
    await takeOverStore(first);
    expect(await kindOf(owning(first).platform.objects.delete(KEY))).toBe("");
    passedMs += 6_000;
    expect(await kindOf(copy.put(KEY, BYTES, AS_VIDEO))).toBe("foreign");
    await expect(claimStore(second)).rejects.toMatchObject({ kind: "foreign" });
  },
);

test.each<[string, () => Promise<unknown>]>([
  ["the same", async () => undefined],
  ["a lower", () => supersede(first.platform)],
])(
  "a mark of %s generation that an ended process stores late is written anew",
  async (_which, prepare) => {
    const { clock, database, objects } = first.platform;
    const late: (() => Promise<unknown>)[] = [];
    const put: typeof objects.put = (...write) => {
      late.push(() => objects.put(...write));
      return Promise.reject(new StoreError("unavailable", "No response"));
    };
    const ending = { ...first, platform: { ...first.platform, objects: { ...objects, put } } };
    await expect(claimStore(ending)).rejects.toMatchObject({ kind: "unavailable" });
    await prepare();
    const successor = owning(first).platform.objects;
    await successor.put(KEY, BYTES, AS_VIDEO);
    for (const store of late) await store();
    await clock.sleep(6_000);
    expect(await kindOf(successor.put(KEY, BYTES, AS_VIDEO))).toBe("");
    const [row] = await database.all(sql`SELECT * FROM deployment`);
    expect(JSON.parse(await world.storedText(OWNER_KEY))).toMatchObject({
      generation: row?.["generation"],
      instance: row?.["store_instance"],
    });
  },
);

test("only one of two concurrent claims makes its deployment the owner", async () => {
  await Promise.allSettled([claimStore(first), claimStore(second)]);
  const claims = await Promise.allSettled([claimStore(first), claimStore(second)]);
  expect(claims.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("a claim that another deployment overwrites before it is looked at again is rejected", async () => {
  const { objects } = first.platform;
  const put: typeof objects.put = async (...write) => {
    const head = await objects.put(...write);
    const mark = JSON.stringify({ deploymentId: "another", publicUrl: "https://b", since: "now" });
    await objects.put(OWNER_KEY, new TextEncoder().encode(mark), {
      contentType: "application/json",
    });
    return head;
  };
  const overtaken = { ...first, platform: { ...first.platform, objects: { ...objects, put } } };
  await expect(claimStore(overtaken)).rejects.toMatchObject({ kind: "foreign" });
});

test("rejects a claim when the owner object is unreadable", async () => {
  await first.platform.objects.put(OWNER_KEY, new TextEncoder().encode("{"), {
    contentType: "application/json",
  });
  await expect(claimStore(first)).rejects.toMatchObject({ kind: "foreign" });
});

test("an empty database does not claim a store with archives, unless its index is put back", async () => {
  const { objects } = first.platform;
  await objects.put(objectKeySchema.parse("vods/1/2/3.manifest.json"), BYTES, AS_VIDEO);
  await expect(claimStore(first)).rejects.toMatchObject({
    kind: "foreign",
    message: expect.stringContaining("vodkeep rebuild-index"),
  });
  expect(await objects.head(OWNER_KEY)).toBeNull();
  await claimStore(first, { adopts: true });
  await claimStore(first);
});

test("a database of the version before claims its store with archives", async () => {
  await first.platform.objects.put(
    objectKeySchema.parse("vods/1/2/3.manifest.json"),
    BYTES,
    AS_VIDEO,
  );
  await seedUpload(first.platform.database, { id: "old" });
  await claimStore(first);
  expect(await first.platform.objects.head(OWNER_KEY)).not.toBeNull();
});

type Call = (objects: ObjectStore, multipart: { key: ObjectKey; multipartId: string }) => unknown;

const CALLS: readonly (readonly [string, Call])[] = [
  ["put", (objects) => objects.put(KEY, BYTES, AS_VIDEO)],
  ["get", async (objects) => await (await objects.get(KEY))?.body.cancel()],
  ["head", (objects) => objects.head(KEY)],
  ["list", (objects) => objects.list({})],
  ["delete", (objects) => objects.delete(KEY)],
  ["createMultipart", (objects) => objects.createMultipart(KEY, AS_VIDEO)],
  ["uploadPart", (objects, multipart) => objects.uploadPart(multipart, 1, BYTES)],
  ["completeMultipart", (objects, multipart) => objects.completeMultipart(multipart, [])],
  ["abortMultipart", (objects, multipart) => objects.abortMultipart(multipart)],
  ["listMultiparts", (objects) => objects.listMultiparts()],
];

/** Removes or replaces the owner mark, as an unmounted disk or a takeover does. */
const ENDINGS: Readonly<Record<"unmarked" | "foreign", () => Promise<unknown>>> = {
  unmarked: () => first.platform.objects.delete(OWNER_KEY),
  foreign: () => takeOverStore(second),
};

test.for(["unmarked", "foreign"] as const)(
  "writes and absences fail in a store that is %s, and work once the mark is back",
  async (kind) => {
    const { objects, clock } = owning(first).platform;
    const multipart = await objects.createMultipart(KEY, AS_VIDEO);
    await ENDINGS[kind]();
    // A mark that was just seen counts for writes.
    await clock.sleep(6_000);
    const kindsOf = async () => {
      const kinds: [string, string][] = [];
      for (const [name, call] of CALLS) kinds.push([name, await kindOf(call(objects, multipart))]);
      return kinds;
    };
    expect(await kindsOf()).toEqual(CALLS.map(([name]) => [name, kind]));
    await takeOverStore(first);
    expect((await kindsOf()).filter(([, found]) => found === kind)).toEqual([]);
  },
);

async function kindOf(call: unknown): Promise<string> {
  try {
    await call;
    return "";
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return error.kind;
  }
}

test("an object that is there is read from any store", async () => {
  const { objects } = owning(first).platform;
  await objects.put(KEY, BYTES, AS_VIDEO);
  await takeOverStore(second);
  expect(await objects.head(KEY)).toMatchObject({ sizeBytes: 5 });
});

/** The removals planned and orphans marked by a deployment `daysAhead` days later. */
async function lookAfter(context: ServiceContext, daysAhead: number): Promise<readonly unknown[]> {
  const { clock } = context.platform;
  const now = () => clock.now() + daysAhead * DAY_MS;
  const later = { ...context, platform: { ...context.platform, clock: { ...clock, now } } };
  await removeStrayMultiparts(later);
  while (await reconcilePage(later));
  return await context.platform.database.all(sql`
    SELECT key AS object_key FROM jobs WHERE kind IN ('removal', 'abort')
    UNION ALL SELECT object_key FROM files WHERE status = 'orphaned'`);
}

test("a deployment that does not own the store removes nothing and marks no orphans", async () => {
  const { objects } = first.platform;
  await claimStore(first);
  for (const key of ["vods/1/2/3.ts", "tails/upload/0-1"])
    await objects.put(objectKeySchema.parse(key), BYTES, AS_VIDEO);
  await objects.createMultipart(objectKeySchema.parse("vods/1/2/4.ts"), AS_VIDEO);
  const looking = owning(second);
  for (const daysAhead of [2, 3, 4])
    await expect(lookAfter(looking, daysAhead)).rejects.toMatchObject({ kind: "foreign" });

  const former = await takeOverStore(second);
  expect(former?.publicUrl).toBe("https://vods.example.org");
  expect(await takeOverStore(second)).toBeNull();
  await expect(claimStore(first)).rejects.toThrow("https://staging.example.org");
  for (const daysAhead of [5, 6]) await lookAfter(looking, daysAhead);
  expect(await lookAfter(looking, 7)).toContainEqual({ object_key: "vods/1/2/3.ts" });
});
