import * as fc from "fast-check";
import { afterAll, beforeEach, expect, test } from "vitest";
import * as vodCalls from "#contract/channel-vods.ts";
import * as calls from "#contract/channels.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { deleteUpload } from "#service/storage/upload-actions.ts";
import { at, DAY_MS, openChannelWorld, REASON } from "#service/testing/channel-world.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { ADMIN, STREAMER } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

const world = await openChannelWorld();
const { add, admin, channel, platform, see, update, seed, vods } = world;
const { database } = platform;
afterAll(() => world.close());
beforeEach(() => world.reset());

test("a changed rule decides again what no person decided", async () => {
  await add(["pixelpilot"], { changes: { backDays: null } });
  await see(
    { id: 1, title: "Marathon", durationSec: 60 },
    { id: 2, kind: "highlight" },
    { id: 3, daysAgo: 3 },
    { id: 4, daysAgo: 4 },
  );
  await seed({ id: "begun", vodId: "4", status: "failed" });
  expect(await vods()).toEqual([
    ["2", "left_out", "kind"],
    ["1", "wanted", null],
    ["3", "wanted", null],
    ["4", "failed", null],
  ]);
  const { changed } = await admin.expect(vodCalls.decideVods, at(vodCalls.decideVods), {
    body: { vodIds: ["3", "4"], decision: "leave" },
  });
  expect(changed).toBe(1);
  await admin.expect(calls.updateChannelDefaults, undefined, {
    body: {
      rule: {
        ...(await channel()).rule,
        backDays: 0,
        minDurationSec: 600,
        kinds: ["highlight", "archive"],
      },
    },
  });
  expect(await vods()).toEqual([
    ["2", "wanted", null],
    ["1", "left_out", "too_short"],
    ["3", "left_out", "by_hand"],
    ["4", "failed", null],
  ]);
  await admin.expect(vodCalls.decideVods, at(vodCalls.decideVods), { body: { decision: "take" } });
  expect((await channel()).vods).toEqual({ stored: 0, waiting: 3, failed: 1, leftOut: 0, lost: 0 });
  await database.run(sql`UPDATE vods SET next_start_at = 1, decision = 'take' WHERE vod_id = '4'`);
  expect((await channel()).vods).toMatchObject({ waiting: 3, failed: 1 });

  const ofLost = `${calls.listChannels.path}?state=lost`;
  expect((await admin.expect(calls.listChannels, ofLost)).total).toBe(0);
  await database.run(sql`UPDATE vods SET gone_at = ${Date.now()}, lost_at = ${Date.now()}
    WHERE vod_id = '1'`);
  expect(await admin.expect(calls.listChannels, ofLost)).toMatchObject({
    total: 1,
    summary: { lost: 1 },
    items: [{ vods: { lost: 1 } }],
  });
});

async function reasons(): Promise<Record<string, unknown>> {
  const { items } = await admin.expect(vodCalls.listVods, `${at(vodCalls.listVods)}?limit=100`);
  return Object.fromEntries(items.map(({ id, reason }) => [id, reason]));
}

function decide(decision: string, ...vodIds: string[]) {
  return admin.expect(vodCalls.decideVods, at(vodCalls.decideVods), { body: { vodIds, decision } });
}

const anyRule = fc.record({
  kinds: fc.uniqueArray(fc.constantFrom("archive", "highlight", "upload"), { minLength: 1 }),
  minDurationSec: fc.constantFrom(null, 0, 1_800),
  titleIncludes: fc.subarray(["VOD", "ÄRA"]),
  titleExcludes: fc.subarray(["1", "2", "ära 3"]),
  backDays: fc.constantFrom(null, 0, 2, 5),
});

test("a preview is exactly what the decisions become", async () => {
  await add(["pixelpilot"], { confirmation: REASON });
  await see(
    ...Array.from({ length: 40 }, (_, index) => ({
      id: index + 1,
      title: index % 3 === 0 ? `Ära ${index}` : `VOD ${index}`,
      kind: ["archive", "archive", "highlight", "upload"][index % 4] ?? "",
      durationSec: (index % 5) * 1_800,
      daysAgo: index % 7,
    })),
  );
  await decide("take", "3", "5", "8");
  await decide("leave", "4", "9");
  await seedFile(platform, { key: "vods/1/2/kept.ts", userId: STREAMER, vodId: "5" });
  await database.run(sql`UPDATE files SET size_bytes = 7200000000,
    metadata = '{"durationSec":7200}'`);
  const { rule } = await channel();
  await fc.assert(
    fc.asyncProperty(anyRule, async (changes) => {
      const preview = await admin.expect(vodCalls.previewRule, undefined, {
        body: { rule: { ...rule, ...changes }, channelId: STREAMER },
      });
      expect((await update({ changes })).status).toBe(200);
      const decided = await reasons();
      expect(Object.fromEntries(preview.vods.map(({ id, reason }) => [id, reason]))).toEqual(
        decided,
      );
      const taken = preview.vods.filter(({ reason, isStored }) => reason === null && !isStored);
      expect((await channel()).vods.waiting).toBe(taken.length);
      expect(preview.withoutBasis).toBe(0);
      // A megabyte per second, as the stored file has it.
      expect(preview.taken).toMatchObject({
        vods: taken.length,
        sizeBytes: taken.reduce((sum, { durationSec }) => sum + (durationSec ?? 0) * 1e6, 0),
      });
    }),
    { numRuns: 15 },
  );
  await database.run(sql`DELETE FROM rights_confirmations`);
  const body = { rule: { ...rule, backDays: null }, channelId: STREAMER };
  const waiting = await admin.expect(vodCalls.previewRule, undefined, { body });
  expect(waiting.taken.vods).toBeGreaterThan(0);
  expect(waiting.withoutBasis).toBe(waiting.taken.vods);
});

test("a VOD's state follows its uploads and its file", async () => {
  await add(["pixelpilot"], { changes: { backDays: null } });
  await seedUpload(database, { id: "before", vodId: "1", ownerId: STREAMER, status: "cancelled" });
  await see({ id: 1 }, { id: 2, daysAgo: 0.1 });
  const states: unknown[] = [await vods()];
  const look = async () => states.push((await vods()).at(-1)?.slice(1));
  const after = async (change: Statement) => {
    await database.run(change);
    await look();
  };
  await seed({ id: "it", vodId: "2" });
  for (const status of ["pending", "processing", "failed", "completed"])
    await after(sql`UPDATE uploads SET status = ${status}, failure_class = 'ours' WHERE id = 'it'`);
  await seedFile(platform, {
    key: "vods/1/2/kept.ts",
    uploadId: "it",
    userId: STREAMER,
    vodId: "2",
  });
  await look();
  await after(sql`UPDATE files SET status = 'partial'`);
  await after(sql`UPDATE files SET status = 'complete'`);
  await after(sql`DELETE FROM files`);
  const deletion = { uploadId: "it", actorId: ADMIN, atMs: world.clock.now() };
  await deleteUpload(world.context, deletion);
  await after(sql`DELETE FROM files`);
  expect(states).toEqual([
    [
      ["1", "left_out", "by_hand"],
      ["2", "wanted", null],
    ],
    ["queued", null],
    ["copying", null],
    ["failed", null],
    ["left_out", "by_hand"],
    ["stored", null],
    ["left_out", "by_hand"],
    ["stored", null],
    ["left_out", "by_hand"],
    ["left_out", "by_hand"],
  ]);
  // No rule brings back what someone deleted.
  await update({ changes: { backDays: null, chat: false } });
  expect((await vods()).at(-1)).toEqual(["2", "left_out", "by_hand"]);
});

test("what a person deleted stays left out when its channel is followed again, while a file of it is stored", async () => {
  await add(["pixelpilot"], { changes: { backDays: null } });
  await see({ id: 1 }, { id: 2 });
  await seed({ id: "it", vodId: "2", status: "completed" });
  await seedFile(platform, {
    key: "vods/1/2/kept.ts",
    uploadId: "it",
    userId: STREAMER,
    vodId: "2",
  });
  await deleteUpload(world.context, { uploadId: "it", actorId: ADMIN, atMs: world.clock.now() });
  const decided = sql`SELECT vod_id, decision, decided_by, reason FROM vods`;
  const deleted = { vod_id: "2", decision: "leave", decided_by: ADMIN, reason: "by_hand" };
  expect(await database.all(decided)).toContainEqual(deleted);
  await admin.expect(calls.removeChannel, at(calls.removeChannel));
  expect(await database.all(decided)).toEqual([deleted]);
  await add(["pixelpilot"], { changes: { backDays: null } });
  await database.run(sql`DELETE FROM files`);
  await update({ changes: { backDays: null, chat: false } });
  expect(await vods()).toEqual([["2", "left_out", "by_hand"]]);
});

test("dates of danger follow the kind of broadcaster, or an administrator's figure", async () => {
  await add(["pixelpilot"], { changes: { backDays: null } });
  await see({ id: 1, daysAgo: 3 }, { id: 2, kind: "highlight", daysAgo: 3 });
  await seedUpload(database, { id: "it", vodId: "1", ownerId: STREAMER });
  const dangers = async () => {
    const rows = await database.all(sql`SELECT danger_at FROM (SELECT seq, danger_at FROM vods
      UNION ALL SELECT 9, danger_at FROM uploads) ORDER BY seq`);
    return rows.map(({ danger_at: atMs }) =>
      atMs === null ? null : Math.round((Number(atMs) - world.clock.now()) / DAY_MS),
    );
  };
  await update({ ownDeletesAfterDays: 5 });
  expect(await dangers()).toEqual([2, null, 2]);
  expect(await channel()).toMatchObject({ deletesAfterDays: 5, ownDeletesAfterDays: 5 });
  const { items, summary } = await admin.expect(
    calls.listChannels,
    `${calls.listChannels.path}?state=danger`,
  );
  expect([items.length, summary.inDanger]).toEqual([1, 1]);
  await update({ ownDeletesAfterDays: null });
  expect(await dangers()).toEqual([11, null, 11]);
  // What was still there a day after the period goes nobody knows when.
  await database.run(sql`UPDATE vods SET last_seen_at = recorded_at + ${15 * DAY_MS + 1}
    WHERE vod_id = '1'`);
  await update({ ownDeletesAfterDays: null });
  expect(await dangers()).toEqual([null, null, null]);
  expect((await channel()).deletesAfterDays).toBe(14);
});

test("danger of what a rule leaves out is told beside that of what it takes", async () => {
  await add(["pixelpilot"]);
  await see({ id: 1, daysAgo: 1 }, { id: 2, daysAgo: 3 });
  await update({ changes: { backDays: 0 }, ownDeletesAfterDays: 5 });
  const before = await channel();
  expect(before).toMatchObject({ dangerAt: null, vods: { leftOut: 2 } });
  expect(before.leftOutDangerAt).not.toBeNull();
  await admin.expect(vodCalls.decideVods, at(vodCalls.decideVods), { body: { decision: "take" } });
  expect(await channel()).toMatchObject({
    leftOutDangerAt: null,
    dangerAt: before.leftOutDangerAt,
  });
});
