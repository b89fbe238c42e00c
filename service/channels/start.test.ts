import { afterAll, beforeEach, expect, test } from "vitest";
import { updateChannel } from "#contract/channels.ts";
import type { FailureClass } from "#contract/upload.ts";
import { startUpload } from "#contract/uploads.ts";
import { banUser } from "#contract/users.ts";
import { archiveRow } from "#service/archiver/archive-run.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { ServiceContext } from "#service/context.ts";
import { takeLease } from "#service/storage/lease.ts";
import { ArchiveFailed } from "#service/storage/run-end.ts";
import { recordFailure } from "#service/storage/run-failure.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { ADMIN, startTestService, STREAMER } from "#service/testing/test-service.ts";
import { announceDanger, recordLost } from "./lost-vods.ts";
import { fillPlaces, startByRules, startChannel, WAITS_FOR_ROOM } from "./start.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const vodkeep = await startTestService();
const { database } = vodkeep.platform;
const admin = await vodkeep.signIn(ADMIN);
const SECOND_ADMIN = "1002";
await vodkeep.signInWith(SECOND_ADMIN, ["write:uploads"]);
afterAll(() => vodkeep.close());
const nowMs = vodkeep.clock.now();

const GIB = 1024 ** 3;

/** A disk without a reserve, and as many archives at the same time. */
function withDisk(roomBytes: number, archivePlaces = 20): ServiceContext {
  const { platform } = vodkeep.context;
  const disks = async () => [{ freeBytes: roomBytes, sizeBytes: 1_000 * GIB }];
  return {
    ...vodkeep.context,
    settings: { ...vodkeep.settings, STORAGE_RESERVE_GB: 0 },
    platform: { ...platform, runtime: { ...platform.runtime, disks, archivePlaces } },
  };
}
const context = withDisk(1_000 * GIB);

/** Two channels, each confirmed by the administrator. */
const [FIRST, SECOND] = ["7001", "7002"];
beforeEach(() =>
  database.batch([
    ...["uploads", "files", "vods", "channels", "consents", "notification_events"].map(
      (table) => sql`DELETE FROM ${{ sql: table, values: [] }}`,
    ),
    sql`UPDATE deployment SET default_rule = '{}', rules_paused_at = NULL`,
    sql`UPDATE deployment SET budget_usd = NULL, pauses_when_spent = 0`,
    sql`UPDATE users SET banned_at = NULL`,
    ...[FIRST, SECOND].flatMap((id) => [
      sql`INSERT OR IGNORE INTO users (id, login, display_name, created_at)
        VALUES (${id}, ${`login${id}`}, ${`Name ${id}`}, 1)`,
      sql`INSERT INTO channels (owner_id, added_at, added_by, author_id)
        VALUES (${id}, 1, ${ADMIN}, ${ADMIN})`,
      sql`INSERT OR IGNORE INTO rights_confirmations (owner_id, confirmed_by, reason, confirmed_at)
        VALUES (${id}, ${ADMIN}, 'We signed a contract.', 1)`,
    ]),
  ]),
);

type Seen = {
  readonly ownerId?: string;
  readonly isGrowing?: boolean;
  readonly dangerInMs?: number;
  readonly recordedAt?: number;
  readonly seenDaysAgo?: number;
};

/** A wanted VOD. */
async function want(id: string, seen: Seen = {}): Promise<void> {
  await database.run(sql`
    INSERT INTO vods (vod_id, owner_id, kind, title, duration_sec, recorded_at, is_growing,
      first_seen_at, last_seen_at, decision, next_start_at, danger_at)
    VALUES (${id}, ${seen.ownerId ?? FIRST}, 'archive', ${`Title ${id}`}, 3600,
      ${seen.recordedAt ?? nowMs}, ${Number(seen.isGrowing ?? false)}, ${nowMs - (seen.seenDaysAgo ?? 0.1) * DAY_MS}, ${nowMs},
      'take', 0, ${seen.dangerInMs === undefined ? null : nowMs + seen.dangerInMs})`);
}

const started = () => database.all(sql`SELECT vod_id, by_rule FROM uploads ORDER BY seq`);
const startedIds = async () => (await started()).map((row) => row["vod_id"]);
const waitsFor = async (id: string) =>
  (await database.all(sql`SELECT waits_for FROM vods WHERE vod_id = ${id}`))[0]?.["waits_for"];
const events = () => database.all(sql`SELECT type, title, body, link FROM notification_events`);

function rule(changes: Record<string, unknown>, ownerId = FIRST): Statement {
  return sql`UPDATE channels SET changes = ${JSON.stringify(changes)} WHERE owner_id = ${ownerId}`;
}

test("wanted VODs are started once, in the order of the queue, and as the rule says", async () => {
  await want("11", { dangerInMs: 5 * DAY_MS });
  await want("12", { dangerInMs: 3 * DAY_MS });
  await want("13", { recordedAt: nowMs - 2 });
  await want("14", { recordedAt: nowMs - 3 });
  await want("15", { isGrowing: true });
  await want("16", { ownerId: SECOND, dangerInMs: 9 * DAY_MS });
  await want("17", { dangerInMs: 47 * HOUR_MS });
  await want("18", { seenDaysAgo: 1.1 });
  await database.batch([
    rule({ quality: "480p", chat: false }, SECOND),
    sql`INSERT INTO consents (owner_id, text_version, agreed_at) VALUES (${SECOND}, 1, 7)`,
  ]);
  await Promise.all([startByRules(context), startByRules(context)]);
  expect(await startedIds()).toEqual(["15", "17", "18", "12", "11", "16", "14", "13"]);
  const [found] = await database.all(sql`
    SELECT u.quality, u.rights, u.by_rule, u.initiated_by, u.danger_at, u.title,
      u.filename, (SELECT count(*) FROM chats) AS chats,
      (SELECT json_array(actor_id, address, after) FROM audit WHERE target = u.id) AS entry
    FROM uploads u WHERE vod_id = '16'`);
  expect(found).toMatchObject({
    quality: "480p",
    rights: "owner_signed_in",
    by_rule: 1,
    initiated_by: ADMIN,
    danger_at: nowMs + 9 * DAY_MS,
    title: "Title 16",
    chats: 7,
  });
  expect(JSON.parse(String(found?.["entry"]))).toMatchObject([
    ADMIN,
    null,
    expect.stringContaining('"byRule":true'),
  ]);
  // Whatever becomes of an upload, the rule begins no other.
  await database.run(
    sql`UPDATE uploads SET status = 'failed', failure_class = 'ours', is_live = 0`,
  );
  await startByRules(context);
  expect(await started()).toHaveLength(8);
});

test("a start by a person comes before rules, and the rule adds none, also if it fails", async () => {
  await want("2000000002", { dangerInMs: HOUR_MS });
  await admin.expect(startUpload, undefined, {
    body: { source: { type: "twitch", vodId: "2000000002" }, rightsConfirmed: true },
  });
  await database.batch([
    sql`UPDATE uploads SET status = 'failed', failure_class = 'ours'`,
    sql`UPDATE vods SET next_start_at = 0`,
  ]);
  await startByRules(context);
  expect(await started()).toEqual([{ vod_id: "2000000002", by_rule: 0 }]);
  expect(await waitsFor("2000000002")).toBeNull();
  const [upload] = await database.all(sql`SELECT danger_at FROM uploads`);
  expect(upload).toEqual({ danger_at: nowMs + HOUR_MS });
});

test.each<readonly [string, readonly Statement[], RegExp, ServiceContext]>(
  (
    [
      ["all rules are paused", sql`UPDATE deployment SET rules_paused_at = 1`, /^All rules are/],
      ["its channel is paused", sql`UPDATE channels SET paused_at = 1`, /channel is paused/],
      ["its author is banned", sql`UPDATE users SET banned_at = 1`, /author of the/],
      [
        "another than its author has confirmed",
        sql`UPDATE rights_confirmations SET confirmed_by = ${FIRST}`,
        /^Name 7001 has not agreed/,
      ],
      ["there is no basis", sql`DELETE FROM rights_confirmations`, /^Name 7001 has not agreed/],
      [
        "its owner agreed and is banned",
        [
          sql`DELETE FROM rights_confirmations`,
          sql`INSERT INTO consents (owner_id, text_version, agreed_at) VALUES (${FIRST}, 1, 7)`,
          sql`UPDATE users SET banned_at = 1 WHERE id = ${FIRST}`,
        ],
        /^Name 7001 has not agreed/,
      ],
      ["the disk is full", sql`SELECT 1`, /^The disk has no room for the 2.51 GB/, 2 * GIB],
      [
        "the budget is spent",
        sql`UPDATE deployment SET budget_usd = 0.01, pauses_when_spent = 1`,
        /^This month's budget has no room/,
      ],
    ] as const
  ).map(([what, cause, reason, roomBytes]) => [
    what,
    [cause].flat(),
    reason,
    withDisk(roomBytes ?? 1_000 * GIB),
  ]),
)("a VOD waits with the reason while %s", async (_what, causes, reason, inContext) => {
  await want("21", { isGrowing: true });
  await database.batch(causes);
  await startByRules(inContext);
  expect(await started()).toEqual([]);
  expect(await waitsFor("21")).toMatch(reason);
});

test("rules start no more than fits, and the rest when there is room again", async () => {
  await want("31", { dangerInMs: 2 });
  await want("32", { dangerInMs: 1 });
  await startByRules(withDisk(3 * GIB));
  expect(await startedIds()).toEqual(["32"]);
  expect(await waitsFor("31")).toMatch(/^The disk has no room/);
  const waiting = sql`SELECT v.vod_id FROM vods v WHERE ${WAITS_FOR_ROOM}`;
  expect(await database.all(waiting)).toEqual([{ vod_id: "31" }]);
  await startByRules(withDisk(3 * GIB));
  expect(await startedIds()).toEqual(["32"]);
  await startByRules(withDisk(6 * GIB));
  expect(await startedIds()).toEqual(["32", "31"]);
  expect(await waitsFor("31")).toBeNull();
  expect(await database.all(waiting)).toEqual([]);
});

test("a person's start during a round stays the only one", async () => {
  await want("35");
  const { platform } = context;
  const racing = {
    ...platform.database,
    async batch(...batch: Parameters<typeof database.batch>) {
      const isStart = batch[0].some(({ sql: text }) => text.includes("INSERT INTO uploads"));
      if (isStart) await seedUpload(database, { id: "of-person", vodId: "35", ownerId: FIRST });
      return await database.batch(...batch);
    },
  };
  await startByRules({ ...context, platform: { ...platform, database: racing } });
  expect(await started()).toEqual([{ vod_id: "35", by_rule: 0 }]);
});

function ids(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => String(from + index));
}

test("a rule hands over what has a place and one more each, and the rest stays wanted", async () => {
  for (let id = 100; id < 160; id += 1) await want(String(id), { recordedAt: nowMs + id });
  const two = withDisk(1_000 * GIB, 2);
  await Promise.all([startByRules(two), startByRules(two)]);
  expect(await startedIds()).toEqual(ids(100, 104));
  expect(await waitsFor("159")).toBe("Waits for its turn.");
  await fillPlaces(two);
  expect(await started()).toHaveLength(4);
  await database.run(sql`UPDATE uploads SET status = 'completed' WHERE vod_id = '101'`);
  await fillPlaces(two);
  expect(await startedIds()).toEqual(ids(100, 105));
  // What may be deleted soon, or grows, does not wait behind those; nor do those that come after it.
  await want("200", { dangerInMs: HOUR_MS });
  await want("201", { isGrowing: true });
  await startByRules(two);
  expect(await startedIds()).toEqual([...ids(100, 105), "201", "200"]);
  // One that has waited for the source for long keeps no place, but not all of them are open.
  for (let round = 0; round < 20; round += 1) {
    await database.run(sql`UPDATE uploads SET status = 'processing', phase = 'waiting',
      attempts = 7 WHERE status <> 'completed'`);
    await fillPlaces(two);
  }
  expect(await started()).toHaveLength(1 + 20 + 1);
});

test("a change of one channel starts what comes first of any, and shows why its own wait", async () => {
  for (const id of ids(500, 506)) await want(id, { recordedAt: nowMs + Number(id) });
  await want("510", { ownerId: SECOND, recordedAt: nowMs + 900 });
  const two = withDisk(1_000 * GIB, 2);
  await startChannel(two, SECOND);
  expect(await startedIds()).toEqual(ids(500, 504));
  expect([await waitsFor("505"), await waitsFor("510")]).toEqual([null, "Waits for its turn."]);
  await database.run(sql`UPDATE channels SET paused_at = 1`);
  await startChannel(two, SECOND);
  expect(await waitsFor("505")).toBeNull();
  expect(await waitsFor("510")).toBe("The rule of this channel is paused.");
  // What is paused keeps no place.
  await database.run(sql`UPDATE channels SET paused_at = NULL WHERE owner_id = ${SECOND}`);
  await startChannel(two, SECOND);
  expect(await startedIds()).toEqual([...ids(500, 504), "510"]);
});

test("a rule tries again what failed, ever more rarely, until it is gone or for good", async () => {
  let atMs = nowMs;
  const { clock, ...platform } = context.platform;
  const later = { ...context, platform: { ...platform, clock: { ...clock, now: () => atMs } } };
  await want("300");
  await startByRules(later);
  /** How many hours pass until it is tried again. */
  async function failsFor(failureClass: FailureClass): Promise<number> {
    const [{ id = "" } = {}] = await database.all(sql`SELECT id FROM uploads`);
    const lease = await takeLease(later.platform, "runner", String(id));
    if (lease === null) throw new Error("It was not tried");
    const upload = archiveRow.parse(lease.row);
    const failure = new ArchiveFailed(failureClass, "Only for subscribers.");
    await recordFailure({ context: later, lease }, upload, failure);
    for (let hours = 0; hours < 30; hours += 1) {
      await startByRules(later);
      if ((await database.all(sql`SELECT 1 FROM uploads WHERE status = 'pending'`)).length > 0)
        return hours;
      atMs += HOUR_MS;
    }
    return Infinity;
  }
  const vod = sql`SELECT state, waits_for FROM vod_states`;
  expect(await failsFor("needs_entitlement")).toBe(1);
  expect(await failsFor("needs_entitlement")).toBe(6);
  expect(await failsFor("gone_at_source")).toBe(6);
  expect(await failsFor("ours")).toBe(24);
  expect((await events()).map(({ type }) => type)).toEqual(["upload_failed"]);
  await database.run(sql`UPDATE vods SET danger_at = ${atMs + 20 * HOUR_MS}`);
  expect(await failsFor("try_later")).toBe(1);
  // While its lists lack it, nothing is tried; once it is listed again, it is wanted.
  await database.run(sql`UPDATE vods SET danger_at = NULL, gone_at = ${atMs}`);
  expect(await failsFor("gone_at_source")).toBe(Infinity);
  await database.run(sql`UPDATE vods SET gone_at = NULL`);
  expect(await database.all(vod)).toEqual([
    { state: "wanted", waits_for: "Only for subscribers. Its rule tries it again." },
  ]);
  await startByRules(later);
  expect(await database.all(vod)).toEqual([{ state: "queued", waits_for: null }]);
  expect(await failsFor("source_corrupt")).toBe(Infinity);
  expect(await database.all(sql`SELECT state FROM vod_states`)).toEqual([{ state: "failed" }]);
});

test("what waits for a banned author's rule is archived by whoever saves it", async () => {
  await want("400", { ownerId: STREAMER });
  await database.batch([
    sql`INSERT INTO channels (owner_id, added_at, added_by, author_id)
      VALUES (${STREAMER}, 1, ${ADMIN}, ${SECOND_ADMIN})`,
    sql`INSERT INTO consents (owner_id, text_version, agreed_at) VALUES (${STREAMER}, 1, 7)`,
  ]);
  await startByRules(context);
  await admin.expect(banUser, addressOf(banUser, { id: SECOND_ADMIN }), {
    body: { reason: "A test." },
  });
  const shown = sql`SELECT v.state, u.status, u.initiated_by FROM vod_states v JOIN uploads u USING (vod_id)`;
  const upload = { status: "pending", initiated_by: SECOND_ADMIN };
  expect(await database.all(shown)).toEqual([{ state: "wanted", ...upload }]);
  await admin.expect(updateChannel, addressOf(updateChannel, { id: STREAMER }), {
    body: { changes: { backDays: null } },
  });
  await startByRules(context);
  expect(await database.all(shown)).toEqual([{ state: "queued", ...upload }]);
});

test("a waiting broadcast that has ended is no longer taken first", async () => {
  await want("41", { isGrowing: true });
  await startByRules(context);
  await database.run(sql`UPDATE vods SET is_growing = 0`);
  await startByRules(context);
  expect(await database.all(sql`SELECT is_live FROM uploads`)).toEqual([{ is_live: 0 }]);
});

const day = (ms: number) =>
  new Date(ms).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });

test("a VOD in danger, and one that was lost, is announced once with the reason", async () => {
  await want("51", { dangerInMs: 23 * HOUR_MS });
  await want("52", { dangerInMs: 25 * HOUR_MS });
  for (const id of ["53", "54", "55"]) await want(id, { dangerInMs: -HOUR_MS });
  await startByRules(context);
  await database.batch([
    sql`UPDATE uploads SET status = 'processing', phase = 'copying' WHERE vod_id = '53'`,
    sql`UPDATE uploads SET status = 'completed' WHERE vod_id = '54'`,
    sql`UPDATE uploads SET status = 'cancelled' WHERE vod_id = '55'`,
    sql`UPDATE uploads SET status = 'failed', failure_class = 'ours', error_message = 'The source was away.'
      WHERE vod_id = '51'`,
  ]);
  for (let round = 0; round < 2; round += 1) {
    await announceDanger(context);
    await recordLost(context);
  }
  const body = `Name ${FIRST}'s VOD of ${day(nowMs)}`;
  expect(await events()).toEqual([
    {
      type: "vod_in_danger",
      title: "In danger: Title 51",
      body: `${body} may be deleted at the source from ${day(nowMs + 23 * HOUR_MS)}. The source was away.`,
      link: `/channels/${FIRST}`,
    },
  ]);

  await database.batch([
    sql`DELETE FROM notification_events`,
    sql`UPDATE vods SET gone_at = ${nowMs}`,
  ]);
  await Promise.all([recordLost(context), recordLost(context)]);
  // What still runs may store it.
  expect((await events()).map(({ title }) => title)).toEqual(["Lost: Title 51", "Lost: Title 52"]);
  await database.run(
    sql`UPDATE uploads SET status = 'failed', failure_class = 'ours' WHERE vod_id = '53'`,
  );
  await recordLost(context);
  expect((await events()).slice(1)).toMatchObject([
    {
      type: "vod_lost",
      title: "Lost: Title 52",
      body: `${body} was deleted at the source before it was stored. It waited for its turn.`,
    },
    { title: "Lost: Title 53" },
  ]);
  const lost = await database.all(sql`SELECT vod_id FROM vods WHERE lost_at IS NOT NULL`);
  expect(lost.map((row) => row["vod_id"])).toEqual(["51", "52", "53"]);
});
