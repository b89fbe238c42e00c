import * as fc from "fast-check";
import { afterAll, beforeEach, expect, test } from "vitest";
import * as vodCalls from "#contract/channel-vods.ts";
import { findChannels } from "#contract/channel-lookup.ts";
import * as calls from "#contract/channels.ts";
import * as consents from "#contract/consent.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { deleteUpload } from "#service/storage/upload-actions.ts";
import { hasUpload } from "#service/storage/upload-vod.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { ADMIN, startTestService, STREAMER } from "#service/testing/test-service.ts";
import { seedUpload, type UploadSeed } from "#service/testing/upload-rows.ts";
import { createWriteMeeting, type WriteMeeting } from "#service/testing/write-meeting.ts";

const OTHER = "1006";
const REASON = { reason: "We signed a contract." };

let meeting: WriteMeeting | undefined;
const vodkeep = await startTestService({
  changePlatform(platform) {
    meeting = createWriteMeeting(platform.database);
    return { ...platform, database: meeting.database };
  },
});
const { database } = vodkeep.platform;
const admin = await vodkeep.signIn(ADMIN);
const second = await vodkeep.signInWith("1002", ["read:uploads", "write:uploads"]);
afterAll(() => vodkeep.close());
beforeEach(() =>
  database.batch([
    sql`DELETE FROM uploads`,
    sql`DELETE FROM files`,
    sql`DELETE FROM vods`,
    sql`DELETE FROM channels`,
    sql`UPDATE deployment SET default_rule = '{}', default_rule_author_id = NULL, rules_paused_at = NULL`,
    sql`DELETE FROM consents`,
    sql`DELETE FROM rights_confirmations`,
  ]),
);

const at = (call: { readonly path: string }) => addressOf(call, { id: STREAMER });

async function add(names: readonly string[], body: Record<string, unknown> = {}, client = admin) {
  const { results } = await client.expect(calls.addChannels, undefined, {
    body: { names, ...body },
  });
  return results;
}

function update(body: Record<string, unknown>, client = admin) {
  return client.call("PUT", at(calls.updateChannel), { body });
}

function updateRule(changes: unknown, replaces: unknown) {
  return update({ changes, replaces });
}

function channel() {
  return admin.expect(calls.getChannel, at(calls.getChannel));
}

const DAY_MS = 86_400_000;

type Seen = {
  readonly id: number;
  readonly title?: string;
  readonly kind?: string;
  readonly durationSec?: number;
  readonly daysAgo?: number;
};

/** VODs of the streamer as a list of the source gives them. */
async function see(...seen: readonly Seen[]): Promise<void> {
  const nowMs = vodkeep.clock.now();
  await database.batch(
    seen.map(
      ({ id, title = `VOD ${id}`, kind = "archive", durationSec = 3_600, daysAgo = 0 }) =>
        sql`INSERT INTO vods (vod_id, owner_id, kind, title, duration_sec, recorded_at,
            first_seen_at, last_seen_at)
          VALUES (${String(id)}, ${STREAMER}, ${kind}, ${title}, ${durationSec},
            ${nowMs - daysAgo * DAY_MS}, ${nowMs}, ${nowMs})`,
    ),
  );
  await update({ changes: (await channel()).changes });
}

/** An upload of a VOD by a person. */
async function seed(upload: UploadSeed & { readonly vodId: string }): Promise<void> {
  await seedUpload(database, { ownerId: STREAMER, ...upload });
  await database.run(hasUpload(sql`SELECT ${upload.vodId}`));
}

async function vods() {
  const { items } = await admin.expect(vodCalls.listVods, at(vodCalls.listVods));
  return items.map(({ id, state, reason }) => [id, state, reason]);
}

test("each pasted name has its own result, and repeating adds nothing", async () => {
  const names = [
    "PixelPilot",
    "https://m.twitch.tv/hostile_hana/videos?filter=all",
    "@pixelpilot",
    "nobody_of_that_name",
    "https://www.twitch.tv/videos/2000000002",
    "two words",
  ];
  expect(
    (await add(names)).map(({ result, channel: found, hasBasis }) => [result, found?.id, hasBasis]),
  ).toEqual([
    ["added", STREAMER, false],
    ["added", OTHER, false],
    ["already_added", STREAMER, false],
    ["unknown", undefined, undefined],
    ["invalid", undefined, undefined],
    ["invalid", undefined, undefined],
  ]);
  expect(
    (await add(names, { confirmation: REASON }))
      .map(({ result, hasBasis }) => [result, hasBasis])
      .slice(0, 3),
  ).toEqual([
    ["already_added", true],
    ["already_added", true],
    ["already_added", true],
  ]);
  expect(
    await database.all(sql`SELECT target, actor_id FROM audit WHERE action = 'channel.add'
      ORDER BY target`),
  ).toEqual([STREAMER, OTHER].map((target) => ({ target, actor_id: ADMIN })));
});

test("before channels are added, what they have is known, by what is stored of them", async () => {
  const find = () =>
    admin.expect(findChannels, undefined, {
      body: { names: ["https://twitch.tv/PixelPilot", "unheard_of", "not a name"] },
    });
  const { channels } = await find();
  expect(channels).toMatchObject([
    { id: STREAMER, hasBasis: false, isRough: true, hasMore: false },
  ]);
  const listed = channels[0]?.vods ?? [];
  expect(listed.length).toBeGreaterThan(3);
  await seedFile(vodkeep.platform, { key: "vods/1/2/kept.ts", userId: STREAMER, sizeBytes: 1_000 });
  await database.run(sql`UPDATE files SET metadata = '{"durationSec":1000}'`);
  const known = (await find()).channels[0];
  expect(known?.isRough).toBe(false);
  expect(known?.vods[0]?.sizeBytes).toBeLessThan(listed[0]?.sizeBytes ?? 0);
  await vodkeep.twitch.control.addFault({
    match: { kind: "helix" },
    fault: { type: "status", status: 503 },
    times: "forever",
  });
  const answer = await admin.call("POST", findChannels.path, { body: { names: ["pixel"] } });
  await vodkeep.twitch.control.clearFaults();
  expect(answer.status).toBe(502);
});

test("what a channel has is found beyond the first page of its list", async () => {
  const { id } = await vodkeep.twitch.control.addAccount();
  for (let vod = 0; vod < 101; vod += 1)
    await vodkeep.twitch.control.addVod({ ownerId: id, segmentCount: 1 });
  const { channels } = await admin.expect(findChannels, undefined, { body: { names: [id] } });
  expect(channels[0]?.vods).toHaveLength(101);
  expect(channels[0]?.hasMore).toBe(false);
});

test("a change of nothing is none", async () => {
  await add(["pixelpilot"], { confirmation: REASON });
  expect((await update({})).status).toBe(200);
  expect(await database.all(sql`SELECT 1 FROM audit WHERE action = 'channel.change'`)).toEqual([]);
});

test("a rule replaces only what its author saw", async () => {
  await add(["pixelpilot"], { confirmation: REASON });
  const { rule } = await admin.expect(calls.readChannelDefaults);
  const ofDefault = (next: unknown, replaces: unknown) =>
    admin.call("PUT", calls.updateChannelDefaults.path, { body: { rule: next, replaces } });
  const [quiet, small] = [{ chat: false }, { quality: "720p" }];
  for (const [save, first, ...next] of [
    [updateRule, {}, quiet, small],
    [ofDefault, rule, { ...rule, ...quiet }, { ...rule, ...small }],
  ] as const) {
    expect((await save(next[0], first)).status).toBe(200);
    expect((await save(next[1], first)).error?.code).toBe("conflict");
    expect((await save(next[1], next[0])).status).toBe(200);
  }
  expect((await channel()).changes).toEqual(small);
});

test("of two rules saved at the same time, one is refused; a pause beside it is kept", async () => {
  await add(["pixelpilot"], { confirmation: REASON });
  const pair = [{ minDurationSec: 60 }, { minDurationSec: 120 }];
  const { rule } = await admin.expect(calls.readChannelDefaults);
  for (let round = 0; round < 2; round += 1) {
    meeting?.gather(5, /INSERT INTO audit/);
    const ofDefault = pair.map((changes) =>
      admin.call("PUT", calls.updateChannelDefaults.path, {
        body: { rule: { ...rule, ...changes } },
      }),
    );
    const ofChannel = pair.map((changes) => update({ changes }));
    const [pause, ...saves] = await Promise.all([
      update({ paused: round % 2 === 0 }),
      ...ofChannel,
      ...ofDefault,
    ]);
    expect([pause?.status, ...saves.map(({ status }) => status).toSorted((a, b) => a - b)]).toEqual(
      [200, 200, 200, 409, 409],
    );
    expect((await channel()).pausedAt === null).toBe(round % 2 === 1);
    await update({ changes: {} });
    await admin.expect(calls.updateChannelDefaults, undefined, { body: { rule } });
  }
});

test("a channel needs a basis, and says so when it ends", async () => {
  await add(["pixelpilot"]);
  expect((await channel()).trouble).toBe(
    "PixelPilot has not agreed to archiving, and Avery Admin has not confirmed the rights.",
  );
  await update({ confirmation: REASON });
  expect(await channel()).toMatchObject({
    trouble: null,
    basis: { kind: "confirmation", confirmedBy: { userId: ADMIN }, ...REASON },
  });
  // Whoever changes the rule acts on their own rights.
  expect((await update({ changes: { chat: false } }, second)).error?.code).toBe("conflict");
  expect((await update({ changes: { chat: false }, confirmation: REASON }, second)).status).toBe(
    200,
  );
  expect((await channel()).author.userId).toBe("1002");
  await database.run(sql`UPDATE users SET permissions = '["read:uploads"]' WHERE id = '1002'`);
  expect((await channel()).trouble).toContain("may no longer start uploads");
  await database.run(sql`INSERT INTO consents (owner_id, text_version, agreed_at)
    VALUES (${STREAMER}, 1, 0)`);
  await update({ changes: {} });
  expect(await channel()).toMatchObject({ trouble: null, basis: { kind: "consent" } });
  const owner = await vodkeep.signIn(STREAMER);
  await owner.expect(consents.withdraw);
  expect((await channel()).basis).toBe(null);
  expect(
    (await admin.expect(calls.listChannels, `${calls.listChannels.path}?state=trouble`)).total,
  ).toBe(1);
});

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
  await seedFile(vodkeep.platform, { key: "vods/1/2/kept.ts", userId: STREAMER });
  await database.run(sql`UPDATE files SET vod_id = '5', size_bytes = 7200000000,
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
  const after = async (change: Statement) => {
    await database.run(change);
    states.push((await vods()).at(-1)?.slice(1));
  };
  await seed({ id: "it", vodId: "2" });
  for (const status of ["pending", "processing", "failed", "completed"])
    await after(sql`UPDATE uploads SET status = ${status} WHERE id = 'it'`);
  await seedFile(vodkeep.platform, { key: "vods/1/2/kept.ts", uploadId: "it", userId: STREAMER });
  await after(sql`UPDATE files SET vod_id = '2'`);
  await after(sql`UPDATE files SET status = 'partial'`);
  await after(sql`UPDATE files SET status = 'complete'`);
  await after(sql`DELETE FROM files`);
  const deletion = { uploadId: "it", actorId: ADMIN, atMs: vodkeep.clock.now() };
  await deleteUpload(vodkeep.context, deletion);
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

test("dates of danger follow the kind of broadcaster, or an administrator's figure", async () => {
  await add(["pixelpilot"], { changes: { backDays: null } });
  await see({ id: 1, daysAgo: 3 }, { id: 2, kind: "highlight", daysAgo: 3 });
  await seedUpload(database, { id: "it", vodId: "1", ownerId: STREAMER });
  const dangers = async () => {
    const rows = await database.all(sql`SELECT danger_at FROM (SELECT seq, danger_at FROM vods
      UNION ALL SELECT 9, danger_at FROM uploads) ORDER BY seq`);
    return rows.map(({ danger_at: atMs }) =>
      atMs === null ? null : Math.round((Number(atMs) - vodkeep.clock.now()) / DAY_MS),
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

test("a source that does not answer, a pause, a check and a removal", async () => {
  await vodkeep.twitch.control.addFault({
    match: { kind: "helix" },
    fault: { type: "status", status: 500 },
  });
  expect(await add(["pixelpilot", "a b"])).toMatchObject([
    { result: "unanswered", error: expect.stringContaining("answered with status 500") },
    { result: "invalid" },
  ]);
  await vodkeep.twitch.control.clearFaults();
  await add(["pixelpilot"], { confirmation: REASON });
  const lists = async () => {
    const nowMs = vodkeep.clock.now();
    const rows = await database.all(sql`SELECT iif(due_at <= ${nowMs}, 'due', 'later') AS list
      FROM jobs WHERE kind = 'list' AND key = ${STREAMER}`);
    return rows.map(({ list }) => list);
  };
  await database.run(sql`UPDATE jobs SET due_at = 9e15`);
  await admin.expect(calls.checkChannel, at(calls.checkChannel));
  expect(await lists()).toEqual(["due"]);
  await update({ paused: true });
  expect((await channel()).pausedAt).not.toBe(null);
  expect(await lists()).toEqual([]);
  await update({ paused: false });
  expect(await lists()).toEqual(["due"]);
  const { pausedBy } = await admin.expect(calls.updateChannelDefaults, undefined, {
    body: { paused: true },
  });
  expect(pausedBy?.userId).toBe(ADMIN);
  await see({ id: 1 });
  await admin.expect(calls.removeChannel, at(calls.removeChannel));
  expect((await update({ paused: false })).status).toBe(404);
  expect(await lists()).toEqual([]);
  expect(await database.all(sql`SELECT 1 FROM vods`)).toEqual([]);
  const rows = await database.all(sql`SELECT DISTINCT action FROM audit
    WHERE action LIKE 'channel%' AND result = 'done' ORDER BY action`);
  expect(rows.map(({ action }) => action)).toEqual(
    ["channel.add", "channel.change", "channel.check", "channel.decide", "channel.remove"].concat(
      "channels.default",
      "channels.pause",
    ),
  );
});

test("a channel that is live is known to be so at once", async () => {
  await vodkeep.twitch.control.goLive(STREAMER, { title: "Over the fjords" });
  await add(["pixelpilot"]);
  await vodkeep.twitch.control.endStream(STREAMER);
  expect((await channel()).live).toMatchObject({ title: "Over the fjords" });
});

test("a rule starts what waits as soon as a person ends its pause", async () => {
  await add(["pixelpilot"], { confirmation: REASON });
  const pauses = [
    (paused: boolean) => update({ paused }),
    (paused: boolean) => admin.expect(calls.updateChannelDefaults, undefined, { body: { paused } }),
  ];
  for (const [index, pause] of pauses.entries()) {
    await pause(true);
    await see({ id: index + 1 });
    expect((await vods()).at(-1)?.slice(1)).toEqual(["wanted", null]);
    await pause(false);
    expect((await vods()).at(-1)?.slice(1)).toEqual(["queued", null]);
  }
});
