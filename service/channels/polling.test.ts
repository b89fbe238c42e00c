import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { twitchVodIdSchema } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { readSettings } from "#service/settings.ts";
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  openPollingWorld,
  SECOND_MS,
} from "#service/testing/polling-world.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { STREAMER } from "#service/testing/test-service.ts";
import { TEST_SETTINGS } from "#service/testing/test-settings.ts";
import { createAppToken } from "#service/twitch/app-token.ts";
import { createTwitchApi, type TwitchApi } from "#service/twitch/twitch-api.ts";
import type { CustomVod } from "#stand-ins/twitch/catalog/custom-vod.ts";
import type { ListFault } from "#stand-ins/twitch/faults/list-fault.ts";
import { vodPages } from "./list.ts";
import { recordPage } from "./listed-vods.ts";

const world = await openPollingWorld();
const {
  checkVods,
  clock,
  column,
  control,
  database,
  follow,
  listAgain,
  pass,
  polling,
  requestsFor,
  trouble,
} = world;
afterAll(() => world.close());

let channel: Awaited<ReturnType<typeof world.reset>>;
beforeEach(async () => {
  channel = await world.reset();
});

const KNOWN = `(SELECT count(*) || ' of which gone ' || sum(gone_at IS NOT NULL) FROM vods v
  WHERE v.owner_id = channels.owner_id)`;

const MISSING = `(SELECT max(missing_lists) FROM vods v WHERE v.owner_id = channels.owner_id)`;

async function announced(): Promise<readonly unknown[]> {
  const rows = await database.all(sql`SELECT body FROM notification_events
    WHERE type = 'channel_trouble' AND subject = ${channel}`);
  return rows.map(({ body }) => body);
}

/** Helix knows no user so many times. */
const away = (times: number) =>
  control.addFault({
    match: { kind: "helix", path: "/users" },
    fault: { type: "body", body: '{"data":[]}' },
    times,
  });

const write = (statements: readonly Statement[]) => database.batch(statements);

async function readPages(api: TwitchApi): Promise<void> {
  for await (const { videos } of vodPages(api, channel, polling.signal))
    expect(videos).toHaveLength(100);
}

describe("a live channel", () => {
  it("shows its VOD within a minute of its appearance in the list", async () => {
    const startedMs = clock.now();
    const lateMs = [0, 1.4, 2.2, 3.1, 4.5, 5.8, 13.3].map((minutes) => minutes * MINUTE_MS);
    const channels = [channel];
    for (const vodLateMs of lateMs.slice(1)) {
      const owner = await follow();
      channels.push(owner);
      await control.goLive(owner, { vodLateMs });
    }
    await control.goLive(channel);
    await pass(15 * MINUTE_MS);
    const rows = await database.all(sql`SELECT owner_id, first_seen_at FROM vods`);
    const seenMs = new Map(rows.map((row) => [row["owner_id"], Number(row["first_seen_at"])]));
    const delays = channels.map((id, index) =>
      Math.round(((seenMs.get(id) ?? NaN) - startedMs - (lateMs[index] ?? 0)) / SECOND_MS),
    );
    expect(delays.filter((sec) => !(sec <= 60))).toEqual([]);
  });

  it("grows until it is offline, and its rule decides", async () => {
    const streamId = await control.goLive(channel, { title: "Morning" });
    await pass(MINUTE_MS);
    const live = await column("channels", "stream_id || ' ' || stream_title");
    expect(live).toEqual([`${streamId} Morning`]);
    expect(await column("vods", "is_growing || ' ' || decision")).toEqual(["1 take"]);
    await control.endStream(channel);
    await pass(3 * MINUTE_MS);
    expect(await column("vods", "is_growing")).toEqual([0]);
    expect(await column("channels", "stream_id")).toEqual([null]);
  });

  it("is not offline because one answer misses it, nor because Twitch is down", async () => {
    await control.goLive(channel);
    await pass(MINUTE_MS);
    await control.listFault(channel, { type: "notLive" });
    await pass(MINUTE_MS);
    expect(await column("channels", "stream_id IS NOT NULL")).toEqual([1]);
    await pass(MINUTE_MS);
    expect(await column("channels", "stream_missed_at")).toEqual([null]);
    await world.helixFails();
    await pass(20 * MINUTE_MS);
    expect(await column("channels", "stream_id IS NOT NULL")).toEqual([1]);
    expect(await trouble()).toMatch("Twitch's API answered with status 500.");
    await control.clearFaults();
    await pass(2 * MINUTE_MS);
    expect(await trouble()).toBeNull();
  });

  it("has its VOD taken although its list does not end", async () => {
    await control.listFault(channel, { type: "endless" });
    await control.addVod({ ownerId: channel, type: "highlight" });
    // By now, the list is read every ten minutes.
    await pass(HOUR_MS);
    await control.goLive(channel, { vodLateMs: 4 * MINUTE_MS });
    await pass(5 * MINUTE_MS);
    expect(await column("vods", "kind || ' ' || decision")).toEqual([
      "highlight leave",
      "archive take",
    ]);
  });

  it("that keeps no VODs is asked for them each minute for a quarter of an hour, then less often", async () => {
    const streamId = await control.goLive(channel, { vodLateMs: DAY_MS });
    const before = await requestsFor("/videos");
    await pass(15 * MINUTE_MS);
    const early = await requestsFor("/videos");
    expect(early - before).toBeLessThanOrEqual(19);
    expect(await announced()).toEqual([]);
    await pass(HOUR_MS);
    expect((await requestsFor("/videos")) - early).toBeLessThanOrEqual(8);
    expect(await trouble()).toMatch(/ is live, but keeps no VODs at Twitch\.$/);
    expect(await announced()).toEqual([await trouble()]);
    await control.addVod({ ownerId: channel, streamId });
    await pass(11 * MINUTE_MS);
    expect([await trouble(), (await announced()).length]).toEqual([null, 1]);
  });

  it("keeps no VODs only if two lists in a row say so", async () => {
    await control.goLive(channel, { vodLateMs: DAY_MS });
    await pass(MINUTE_MS);
    clock.advance(HOUR_MS);
    await world.helixFails();
    await listAgain();
    await control.clearFaults();
    await listAgain();
    expect(await announced()).toEqual([]);
    await listAgain();
    expect(await announced()).toHaveLength(1);
  });

  it("has its next VOD seen within the hour, and only the newest of a stream grows", async () => {
    const streamId = await control.goLive(channel);
    await pass(15 * MINUTE_MS);
    await control.addVod({ ownerId: channel, streamId, createdAt: clock.now() });
    await pass(HOUR_MS);
    expect(await column("vods", "is_growing")).toEqual([0, 1]);
  });
});

describe("Twitch's users", () => {
  it("are asked for once a day, and two answers tell that one is gone", async () => {
    const before = await requestsFor("/users");
    await away(1);
    await pass(20 * MINUTE_MS);
    expect(await trouble()).toBeNull();
    clock.advance(DAY_MS);
    await away(4);
    await pass(20 * MINUTE_MS);
    expect(await trouble()).toMatch("Twitch no longer knows this channel.");
    clock.advance(DAY_MS);
    await pass(MINUTE_MS);
    expect(await announced()).toHaveLength(1);
    clock.advance(DAY_MS);
    await control.clearFaults();
    await pass(MINUTE_MS);
    expect([await trouble(), (await announced()).length]).toEqual([null, 1]);
    expect((await requestsFor("/users")) - before).toBe(6);
  });

  it("are asked for a hundred at a time", async () => {
    const strangers = sql`json_each(${JSON.stringify(Array.from({ length: 100 }, (_, index) => `10000${index}`))})`;
    await database.batch([
      sql`INSERT OR IGNORE INTO users (id, login, display_name, created_at)
        SELECT value, value, value, 0 FROM ${strangers}`,
      sql`INSERT INTO channels (owner_id, added_at, added_by, author_id)
        SELECT value, 0, ${channel}, ${channel} FROM ${strangers}`,
      sql`UPDATE channels SET unlisted_profile_at = 0`,
    ]);
    const before = await requestsFor("/users");
    await world.readLists();
    expect((await requestsFor("/users")) - before).toBe(2);
    const [missing] = await database.all(sql`SELECT count(unknown_at) AS strangers,
      count(*) FILTER (WHERE unlisted_profile_at IS NULL) AS known FROM channels`);
    expect(missing).toEqual({ strangers: 100, known: 1 });
  });

  it("tell names and kinds of broadcasters, which change deadlines", async () => {
    await control.addVod({ ownerId: channel });
    await pass(MINUTE_MS);
    const account = { id: channel, login: "renamed", displayName: "Renamed" };
    await control.addAccount({ ...account, broadcasterType: "partner" });
    await database.run(sql`DELETE FROM jobs WHERE kind = 'list'`);
    clock.advance(DAY_MS);
    await pass(MINUTE_MS);
    expect(await column("channels", "broadcaster_type")).toEqual(["partner"]);
    expect(await column("vods", "(danger_at - recorded_at) / 86400000")).toEqual([60]);
    expect(await column("channels", "(SELECT login FROM users WHERE id = owner_id)")).toEqual([
      "renamed",
    ]);
  });
});

describe("a list of VODs", () => {
  const never = "Twitch's list of this channel's VODs does not end.";
  const faults: readonly (readonly [string, ListFault, string | null])[] = [
    ["skips VODs", { type: "skip", every: 2 }, null],
    ["repeats VODs", { type: "repeat" }, null],
    ["is reversed", { type: "reverse" }, null],
    ["begins with empty pages", { type: "emptyPages", pages: 2 }, null],
    ["has only empty pages", { type: "emptyPages", pages: 1_000 }, never],
    ["never ends", { type: "endless" }, never],
    [
      "fails on its second page",
      { type: "pageFails", page: 2, status: 500 },
      "Twitch's API answered with status 500. Twitch said: Internal Server Error asked for by a fault.",
    ],
    ["is old", { type: "stale" }, null],
    ["names the VODs of others", { type: "strangers", accountId: STREAMER }, null],
  ];

  it("proves nothing that is not so, whatever is wrong with it", async () => {
    const seen: unknown[] = [];
    for (let count = 0; count < 105; count += 1) await control.addVod({ ownerId: channel });
    await listAgain();
    // A list that is read until nothing is new says nothing about what follows.
    await database.run(sql`UPDATE jobs SET due_at = 0`);
    await world.readLists();
    expect(await column("channels", MISSING)).toEqual([0]);
    for (const [what, fault] of faults) {
      await control.listFault(channel, fault);
      await control.addVod({ ownerId: channel });
      for (let round = 0; round < 4; round += 1) {
        await listAgain();
        await checkVods();
      }
      const told = [what, await trouble()];
      await control.listFault(channel, null);
      await listAgain();
      const [left] = await column("channels", KNOWN);
      seen.push([...told, await trouble(), left]);
    }
    expect(seen).toEqual(
      faults.map(([what, , told], index) => [what, told, null, `${106 + index} of which gone 0`]),
    );
  });

  it("is read page by page: 5,000 VODs, endless ones up to a limit", async () => {
    const { id } = await control.addVod({ ownerId: channel });
    const template = await polling.api.video(twitchVodIdSchema.parse(id));
    if (template === null) throw new Error("the stand-in does not list its VOD");
    let [asked, most] = [0, 5_000];
    const api = {
      ...polling.api,
      videosOf: async (_: unknown, after: string | null) => {
        asked += 1;
        const from = Number(after ?? 0);
        const items = Array.from({ length: 100 }, (__, index) => ({
          ...template,
          id: twitchVodIdSchema.parse(String(9_000_000 + from + index)),
        }));
        return { items, cursor: from + 100 < most ? String(from + 100) : null };
      },
    };
    await readPages(api);
    expect(asked).toBe(50);
    [asked, most] = [0, Infinity];
    await expect(readPages(api)).rejects.toThrow("does not end");
    expect(asked).toBe(200);
  });

  it("tells from when each VOD is in danger", async () => {
    const dangers = `group_concat(kind || round((danger_at - ${clock.now()}) / 86400000.0), ' ' ORDER BY kind)`;
    await control.addVod({ ownerId: channel, createdAt: clock.now() - 200 * DAY_MS });
    await control.addVod({ ownerId: channel, createdAt: clock.now() - DAY_MS });
    const add = (custom: CustomVod) =>
      control.addVod({ ownerId: channel, createdAt: clock.now(), ...custom });
    await add({ type: "highlight" });
    await listAgain();
    expect(await column("vods", dangers)).toEqual(["archive6.0"]);
    await add({ type: "upload", segmentCount: 90 * 360 });
    await listAgain();
    expect(await column("vods", dangers)).toEqual(["archive6.0 highlight3.0 upload3.0"]);
    clock.advance(DAY_MS);
    await listAgain();
    expect(await column("vods", dangers)).toEqual(["archive6.0 highlight3.0 upload3.0"]);
  });

  it("shows as stored what was stored before it was listed", async () => {
    const [whole, part] = [
      await control.addVod({ ownerId: channel }),
      await control.addVod({ ownerId: channel }),
    ];
    const { platform } = polling.context;
    await seedFile(platform, { key: "vods/whole.ts", vodId: whole.id });
    await seedFile(platform, { key: "vods/part.ts", vodId: part.id, status: "partial" });
    await listAgain();
    expect(await column("vods", "group_concat(iif(is_stored, vod_id, NULL))")).toEqual([whole.id]);
  });

  it("does not lack what was added while it was read", async () => {
    for (let count = 0; count < 101; count += 1) await control.addVod({ ownerId: channel });
    let added = "";
    const api: TwitchApi = {
      ...polling.api,
      videosOf: async (owner, after, signal) => {
        const page = await polling.api.videosOf(owner, after, signal);
        if (after !== null) return page;
        clock.advance(SECOND_MS);
        added = (await control.addVod({ ownerId: channel })).id;
        const listed = await polling.api.videosOf(owner, null, signal);
        const videos = listed.items.filter(({ id }) => id === added);
        await recordPage(write, { owner_id: channel, stream_id: null }, videos, clock.now());
        return page;
      },
    };
    await world.readLists({ api });
    expect(await column("vods", "count(*)")).toEqual([102]);
    expect(await column("channels", MISSING)).toEqual([0]);
  });

  it("is asked for three times a round while Twitch is down", async () => {
    for (let count = 0; count < 4; count += 1) await follow();
    await world.helixFails();
    const before = await requestsFor("/videos");
    await world.readLists();
    expect((await requestsFor("/videos")) - before).toBe(3);
    // One failure is usual.
    expect(await trouble()).toBeNull();
  });

  it("is read once by tasks that overlap", async () => {
    for (let count = 0; count < 4; count += 1) await follow();
    const before = await requestsFor("/videos");
    await Promise.all([world.readLists(), world.readLists(), world.readLists()]);
    expect((await requestsFor("/videos")) - before).toBe(5);
  });

  it("tells at once that Twitch refuses the application, and reads nothing as absence", async () => {
    const refused = {
      settings: readSettings({
        ...world.settings,
        ...TEST_SETTINGS,
        TWITCH_CLIENT_SECRET: "wrong",
      }),
    };
    const other = { ...polling.context, ...refused };
    await world.readLists({ api: createTwitchApi(other, createAppToken(other)) });
    expect(await trouble()).toMatch("TWITCH_CLIENT_SECRET");
    clock.advance(2 * MINUTE_MS);
    await world.readLists();
    expect(await trouble()).toBeNull();
  });
});

describe("after an outage", () => {
  it("all lists are read again, and broadcasts that came and went are found", async () => {
    await pass(MINUTE_MS);
    await world.helixFails();
    await control.goLive(channel, { lastsMs: HOUR_MS });
    for (let hour = 0; hour < 6; hour += 1) {
      clock.advance(HOUR_MS);
      await pass(MINUTE_MS);
    }
    expect(await column("vods", "vod_id")).toEqual([]);
    await control.clearFaults();
    await pass(2 * MINUTE_MS);
    expect(await column("vods", "is_growing || ' ' || decision")).toEqual(["0 take"]);
  });
});
