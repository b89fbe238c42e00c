import { afterAll, beforeEach, expect, test } from "vitest";
import { findChannels } from "#contract/channel-lookup.ts";
import { decideVods } from "#contract/channel-vods.ts";
import * as calls from "#contract/channels.ts";
import * as consents from "#contract/consent.ts";
import { sql } from "#service/db/sql.ts";
import { at, openChannelWorld, REASON } from "#service/testing/channel-world.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { ADMIN, STREAMER } from "#service/testing/test-service.ts";
import { createWriteMeeting, type WriteMeeting } from "#service/testing/write-meeting.ts";

const OTHER = "1006";

let meeting: WriteMeeting | undefined;
const world = await openChannelWorld({
  changePlatform(platform) {
    meeting = createWriteMeeting(platform.database);
    return { ...platform, database: meeting.database };
  },
});
const { add, admin, channel, platform, see, update, vods } = world;
const { database } = platform;
afterAll(() => world.close());
beforeEach(() => world.reset());
const second = await world.signInWith("1002", ["read:uploads", "write:uploads"]);

function updateRule(changes: unknown, replaces: unknown) {
  return update({ changes, replaces });
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
  await seedFile(platform, { key: "vods/1/2/kept.ts", userId: STREAMER, sizeBytes: 1_000 });
  await database.run(sql`UPDATE files SET metadata = '{"durationSec":1000}'`);
  const known = (await find()).channels[0];
  expect(known?.isRough).toBe(false);
  expect(known?.vods[0]?.sizeBytes).toBeLessThan(listed[0]?.sizeBytes ?? 0);
  await world.twitch.control.addFault({
    match: { kind: "helix" },
    fault: { type: "status", status: 503 },
    times: "forever",
  });
  const answer = await admin.call("POST", findChannels.path, { body: { names: ["pixel"] } });
  await world.twitch.control.clearFaults();
  expect(answer.status).toBe(502);
});

test("what a channel has is found beyond the first page of its list", async () => {
  const { id } = await world.twitch.control.addAccount();
  for (let vod = 0; vod < 101; vod += 1)
    await world.twitch.control.addVod({ ownerId: id, segmentCount: 1 });
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
  const owner = await world.signIn(STREAMER);
  await owner.expect(consents.withdraw);
  expect((await channel()).basis).toBe(null);
  expect(
    (await admin.expect(calls.listChannels, `${calls.listChannels.path}?state=trouble`)).total,
  ).toBe(1);
});

test("a source that does not answer, a pause, a check and a removal", async () => {
  await world.twitch.control.addFault({
    match: { kind: "helix" },
    fault: { type: "status", status: 500 },
  });
  expect(await add(["pixelpilot", "a b"])).toMatchObject([
    { result: "unanswered", error: expect.stringContaining("answered with status 500") },
    { result: "invalid" },
  ]);
  await world.twitch.control.clearFaults();
  await add(["pixelpilot"], { confirmation: REASON });
  const lists = async () => {
    const nowMs = world.clock.now();
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
  await admin.expect(decideVods, at(decideVods), { body: { decision: "take" } });
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
  await world.twitch.control.goLive(STREAMER, { title: "Over the fjords" });
  await add(["pixelpilot"]);
  await world.twitch.control.endStream(STREAMER);
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
