import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { backUpNow, readBackups } from "#contract/backups.ts";
import { objectKeySchema } from "#contract/files.ts";
import { KEPT_DAYS, makeBackup } from "#service/backups/nightly-backup.ts";
import { findBackupProblem, readBackupState } from "#service/backups/backup-state.ts";
import { backupJob, restoreTestJob } from "#service/backups/backup-jobs.ts";
import { recordBackup } from "#service/backups/backup-record.ts";
import { nextDueMs } from "#service/backups/backup-times.ts";
import type { ServiceContext } from "#service/context.ts";
import { readStoredBytes } from "#service/costs/metering-tasks.ts";
import { sql } from "#service/db/sql.ts";
import { runDue } from "#service/jobs/job-runner.ts";
import { plan, SOLE, take } from "#service/jobs/jobs.ts";
import type { Platform } from "#service/platform.ts";
import { type ObjectStore, replaceOperations, StoreError } from "#service/ports/object-store.ts";
import { countRows } from "#service/testing/count-rows.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { createSnapshots } from "./snapshots.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

const DAY_MS = 86_400_000;
const FOREIGN = objectKeySchema.parse("backups/vodkeep-of-somebody-else.tar");

let vodkeep: TestService;
beforeEach(async () => {
  vodkeep = await startTestService();
  await vodkeep.signIn(ADMIN);
  await vodkeep.platform.objects.put(FOREIGN, new Uint8Array(1), { contentType: "text/plain" });
});
afterEach(() => vodkeep.close());

type Changes = Partial<Omit<ObjectStore, "partTagAlgorithm">>;

function contextWith(changes: Changes, others: Partial<Platform> = {}): ServiceContext {
  const objects = replaceOperations(vodkeep.platform.objects, changes);
  return { ...vodkeep.context, platform: { ...vodkeep.platform, ...others, objects } };
}

function requireSnapshots() {
  const { snapshots } = vodkeep.platform;
  if (snapshots === undefined) throw new Error("This host takes no snapshots");
  return snapshots;
}

async function backUp(changes: Changes = {}) {
  const made = await makeBackup(contextWith(changes), requireSnapshots());
  await vodkeep.platform.database.run(recordBackup(made));
}

async function testRestoring(of: ServiceContext, snapshots = requireSnapshots()) {
  const context = { ...of, platform: { ...of.platform, snapshots } };
  await context.platform.database.run(plan("restoreTest", SOLE, 0));
  await runDue(context, "restoreTest", restoreTestJob(context), 1);
}

async function events() {
  return await vodkeep.platform.database.all(
    sql`SELECT title, body FROM notification_events WHERE type = 'backup_failed'`,
  );
}

async function put(key: string, bytes = new Uint8Array(1)) {
  const options = { contentType: "text/plain" };
  await vodkeep.platform.objects.put(objectKeySchema.parse(`backups/${key}`), bytes, options);
}

async function keys() {
  const { objects } = await vodkeep.platform.objects.list({ prefix: "backups/" });
  return objects.map(({ key }) => key).filter((key) => key !== FOREIGN);
}

async function read(end: string): Promise<Uint8Array> {
  const key = (await keys()).findLast((each) => each.endsWith(end));
  const stored = key === undefined ? null : await vodkeep.platform.objects.get(key);
  return new Uint8Array(await new Response(stored?.body ?? null).arrayBuffer());
}

function finished(time: string): readonly string[] {
  return [`vodkeep-${time}Z.db.gz`, `vodkeep-${time}Z.json`];
}

test("a backup has the rows, the digest and the counts, and no sessions", async () => {
  await backUp();
  const data = await read(".db.gz");
  const facts: unknown = JSON.parse(new TextDecoder().decode(await read(".json")));
  expect(facts).toMatchObject({
    sha256: createHash("sha256").update(data).digest("hex"),
    sizeBytes: data.byteLength,
    uploads: 0,
    schema: expect.stringMatching(/^\d{4}-/),
  });
  await using folder = await makeTemporaryFolder();
  await writeFile(join(folder.path, "copy.db"), gunzipSync(data));
  const copy = new DatabaseSync(join(folder.path, "copy.db"));
  const counts = copy.prepare(
    "SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM sessions) AS sessions",
  );
  expect({ ...counts.get() }).toEqual({ users: 1, sessions: 0 });
  copy.close();
  expect(await vodkeep.platform.runtime.lastBackupAt?.()).toBeInstanceOf(Date);
});

const away = () => Promise.reject(new StoreError("unavailable", "away"));
const denied = () => Promise.reject(new StoreError("denied", "The key may not write."));
const full = () => Promise.reject(new StoreError("full", "The disk is full."));

/** What the store answers instead of a backup's bytes. */
const other: ObjectStore["get"] = async (key, range) => {
  const stored = await vodkeep.platform.objects.get(key, range);
  if (stored === null || !key.endsWith(".gz")) return stored;
  const bytes = new Uint8Array(await new Response(stored.body).arrayBuffer());
  const at = bytes.length - 9;
  bytes.set([(bytes[at] ?? 0) ^ 1], at);
  return { ...stored, body: ReadableStream.from([bytes]) };
};

test.each<[string, Changes]>([
  ["refuses a part", { uploadPart: denied }],
  ["has no room for a part", { uploadPart: full }],
  ["goes away before the end", { completeMultipart: away }],
  ["cannot be read", { get: away }],
  ["returns other bytes", { get: other }],
  ["lost what it confirmed", { get: () => Promise.resolve(null) }],
  ["has no room for the counts", { put: full }],
])("older backups stay when the store %s, and the next run clears up", async (_what, changes) => {
  for (let night = 1; night <= KEPT_DAYS; night += 1)
    for (const key of finished(`2026-01-${String(night).padStart(2, "0")}T03-00-00`))
      await put(key);
  const before = await keys();
  await expect(backUp(changes)).rejects.toThrow(/away|full|may not|did not return/);
  expect(await keys()).toEqual(expect.arrayContaining(before));
  vodkeep.clock.advance(DAY_MS);
  await backUp();
  const after = await keys();
  expect(after).toHaveLength(2 * KEPT_DAYS);
  expect(after.slice(0, -2)).toEqual(before.slice(2));
  expect(await vodkeep.platform.objects.head(FOREIGN)).not.toBeNull();
  expect(await vodkeep.platform.objects.listMultiparts()).toEqual([]);
});
test("a run removes what a killed one left, and in time one from the future, but none of its day", async () => {
  const day = new Date(vodkeep.clock.now()).toISOString().slice(0, 10);
  const left = ["vodkeep-2026-02-01T03-00-00Z.db.gz", "vodkeep-2026-02-02T03-00-00Z.json"];
  const nights = Array.from({ length: KEPT_DAYS - 1 }, (_, night) =>
    finished(`2026-01-${String(night + 10)}T03-00-00`),
  ).flat();
  const future = finished("2099-01-01T03-00-00");
  const asked = finished(`${day}T00-00-00`);
  for (const key of [...left, ...asked, ...nights, ...future]) await put(key);
  await vodkeep.platform.objects.createMultipart(
    objectKeySchema.parse("backups/vodkeep-2026-02-03T03-00-00Z.db.gz"),
    { contentType: "application/gzip", partSizeBytes: 8 * 1024 * 1024 },
  );
  await vodkeep.platform.objects.createMultipart(FOREIGN, {
    contentType: "application/x-tar",
    partSizeBytes: 8 * 1024 * 1024,
  });
  vodkeep.clock.jump(1_000);
  // A listing that lacks the second half of the newest night must not cost the first.
  const list: ObjectStore["list"] = async (options) => {
    const page = await vodkeep.platform.objects.list(options);
    return {
      ...page,
      objects: page.objects.filter(({ key }) => !key.endsWith(nights.at(-1) ?? "")),
    };
  };
  await backUp({ list });
  vodkeep.clock.jump(1_000);
  await backUp();
  expect(await vodkeep.platform.objects.listMultiparts()).toMatchObject([{ key: FOREIGN }]);
  const kept = [...nights, ...asked].map((key) => `backups/${key}`);
  expect((await keys()).slice(0, -4)).toEqual(kept);
  expect((await readBackupState(vodkeep.context)).kept).toBe(KEPT_DAYS + 2);
  const { objects } = await vodkeep.platform.objects.list({ prefix: "backups/vodkeep-2" });
  expect(await readStoredBytes(vodkeep.platform.database)).toBe(
    objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  );
});

test("failing nights are announced once, show as degraded after two days, and end with a success", async () => {
  const { objects } = vodkeep.platform;
  let isAway = true;
  const uploadPart: ObjectStore["uploadPart"] = (...args) =>
    isAway ? away() : objects.uploadPart(...args);
  const context = contextWith({ uploadPart });
  const pass = async (hours: number) => {
    vodkeep.clock.advance(hours * 3_600_000);
    await runDue(context, "backup", backupJob(context), 1);
    await runDue(context, "restoreTest", restoreTestJob(context), 1);
    return { events: (await events()).length, health: await findBackupProblem(context) };
  };
  expect(await pass(1)).toEqual({ events: 0, health: null });
  expect(await pass(24)).toEqual({ events: 0, health: null });
  expect(await readBackupState(context)).toMatchObject({ failure: { text: "away" } });
  expect(await pass(1)).toEqual({ events: 1, health: null });
  expect(await pass(24)).toEqual({ events: 1, health: "No backup was made for two days. away" });
  isAway = false;
  expect(await pass(1)).toEqual({ events: 1, health: null });
  expect(await readBackupState(context)).toMatchObject({
    failure: null,
    kept: 1,
    test: { uploads: 0, files: 0 },
  });
  isAway = true;
  expect(await pass(24)).toMatchObject({ events: 1 });
  expect(await pass(26)).toMatchObject({ events: 2 });
});

test.each<[string, () => Changes | Promise<Changes>, object]>([
  ["is sound", () => ({}), { test: { uploads: 0, files: 0 }, testFailure: null }],
  [
    "was read wrongly once",
    () => {
      let reads = 0;
      return {
        get: (key, range) =>
          key.endsWith(".gz") && (reads += 1) === 1
            ? other(key, range)
            : vodkeep.platform.objects.get(key, range),
      };
    },
    { testFailure: null },
  ],
  [
    "has other bytes",
    () => ({ get: other }),
    {
      test: null,
      testFailure: { isDamaged: true, text: expect.stringMatching(/unpacked|SHA-256/) },
    },
  ],
  [
    "has another count",
    async () => {
      const key = (await keys()).find((each) => each.endsWith(".json")) ?? "";
      const facts: object = JSON.parse(new TextDecoder().decode(await read(".json")));
      const text = JSON.stringify({ ...facts, uploads: 7 });
      await put(key.slice("backups/".length), new TextEncoder().encode(text));
      return {};
    },
    { testFailure: { isDamaged: true, text: expect.stringContaining("number of uploads is 0") } },
  ],
  ["cannot be fetched", () => ({ get: away }), { testFailure: { isDamaged: false, text: "away" } }],
])(
  "a restore test of a backup that %s says so, and leaves nothing",
  async (_what, change, state) => {
    await backUp();
    const context = contextWith(await change());
    await using folder = await makeTemporaryFolder();
    // What a killed process left.
    await mkdir(join(folder.path, "restore-test"));
    const snapshots = createSnapshots(folder.path);
    expect(existsSync(join(folder.path, "restore-test"))).toBe(false);
    for (const _ of [1, 2]) await testRestoring(context, snapshots);
    const found = await readBackupState(context);
    expect(found).toMatchObject(state);
    expect(await events()).toHaveLength(found.testFailure?.isDamaged === true ? 1 : 0);
    expect(existsSync(join(folder.path, "restore-test"))).toBe(false);
    if (found.testFailure?.isDamaged !== true) return;
    // Nothing is learned from a store that is away.
    await testRestoring(contextWith({ get: away }));
    expect(await readBackupState(context)).toMatchObject(state);
  },
);

test("a restore test needs room above the disk's reserve", async () => {
  await backUp();
  const nearlyFull = [{ freeBytes: 2_000, sizeBytes: 1_000_000 }];
  const runtime = { ...vodkeep.platform.runtime, disks: async () => nearlyFull };
  await testRestoring(contextWith({}, { runtime }));
  expect(await readBackupState(vodkeep.context)).toMatchObject({
    testFailure: { isDamaged: false, text: expect.stringContaining("disk is nearly full") },
  });
});

test("administrators ask for one backup at a time, which is audited; not where the host keeps a history", async () => {
  const admin = await vodkeep.signIn(ADMIN);
  expect(await admin.expect(backUpNow)).toEqual({ isStarted: true });
  expect(await admin.expect(backUpNow)).toEqual({ isStarted: false });
  expect(await admin.expect(readBackups)).toMatchObject({ kind: "nightly", isRunning: true });
  expect(await countRows(vodkeep.platform.database, sql`audit WHERE action = 'backup.start'`)).toBe(
    1,
  );
  const none = contextWith({}, { snapshots: undefined });
  expect(await findBackupProblem(none)).toBeUndefined();
  expect(await readBackupState(none)).toMatchObject({
    kind: "history",
    dueAt: null,
    isOverdue: false,
  });
});

test("a backup is due once a night, whatever the clock did", () => {
  for (const [newest, now, expected] of [
    [null, "2026-11-20T00:00Z", "2026-11-19T03:00Z"],
    ["2026-11-20T03:00Z", "2026-11-21T02:59Z", "2026-11-21T03:00Z"],
    ["2026-11-20T03:00Z", "2026-11-21T03:00Z", "2026-11-21T03:00Z"],
    ["2036-11-20T03:00Z", "2026-11-20T04:00Z", "2026-11-20T03:00Z"],
  ] as const) {
    const newestMs = newest === null ? null : Date.parse(newest);
    const dueMs = nextDueMs(newestMs, Date.parse(now));
    expect(dueMs).toBe(Date.parse(expected));
  }
});

test("a test of hours keeps its lease, so that no other process begins it", async () => {
  await backUp();
  const { clock } = vodkeep;
  const begunAtMs = clock.now();
  const passing = {
    ...clock,
    async sleep(ms: number, signal?: AbortSignal) {
      await clock.sleep(1, signal);
      clock.advance(ms);
    },
  };
  const taken: unknown[] = [];
  const slow = contextWith(
    {
      async get(...args) {
        await expect.poll(() => clock.now() - begunAtMs).toBeGreaterThan(6 * 3_600_000);
        taken.push(...(await take(vodkeep.platform, "restoreTest", 1)));
        return await vodkeep.platform.objects.get(...args);
      },
    },
    { clock: passing },
  );
  await testRestoring(slow);
  expect(taken).toEqual([]);
});
