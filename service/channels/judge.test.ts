import { afterAll, beforeEach, expect, test } from "vitest";
import { BUILT_IN_RULE, type RuleChanges } from "#contract/channel-rules.ts";
import { decideVods, listVods, previewRule } from "#contract/channel-vods.ts";
import { simulateRetention } from "#contract/trash.ts";
import { sql } from "#service/db/sql.ts";
import { deleteUpload } from "#service/storage/upload-actions.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { ADMIN, startTestService, STREAMER } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { judgeVods } from "./judge.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

/** The scheduled tasks, run by these tests alone. */
const tasks = new Map<string, () => Promise<void>>();
const vodkeep = await startTestService({
  changePlatform: (platform) => ({
    ...platform,
    scheduler: { every: (_intervalMs, name, run) => void tasks.set(name, run) },
  }),
});
const { clock, platform } = vodkeep;
const { database } = platform;
vodkeep.service.start();
afterAll(() => vodkeep.close());

beforeEach(() =>
  database.batch([
    ...["files", "uploads", "vods", "channels"].map(
      (table) => sql`DELETE FROM ${{ sql: table, values: [] }}`,
    ),
    sql`INSERT OR IGNORE INTO users (id, login, display_name, created_at)
      VALUES (${STREAMER}, 'pixelpilot', 'PixelPilot', 1), (${ADMIN}, 'avery', 'Avery', 1)`,
    sql`INSERT INTO channels (owner_id, added_at, added_by, author_id, stream_id)
      VALUES (${STREAMER}, 1, ${ADMIN}, ${ADMIN}, '1')`,
    sql`UPDATE deployment SET scan_ended_at = ${clock.now()}`,
  ]),
);

/** VODs of an hour at the source; without a basis, no rule begins them. */
async function see(id: string, daysAgo: number, isGrowing = false): Promise<void> {
  await database.run(sql`INSERT INTO vods (vod_id, owner_id, kind, title, duration_sec, recorded_at,
      is_growing, first_seen_at, last_seen_at)
    VALUES (${id}, ${STREAMER}, 'archive', 'x', 3600, ${clock.now() - daysAgo * DAY_MS},
      ${Number(isGrowing)}, 0, 0)`);
}

async function store(id: string, daysAgo: number): Promise<void> {
  await seedUpload(database, { id: `u${id}`, vodId: id, status: "completed", ownerId: STREAMER });
  await database.run(sql`UPDATE uploads SET by_rule = 1`);
  await seedFile(platform, {
    key: `vods/${STREAMER}/${id}/x.ts`,
    vodId: id,
    uploadId: `u${id}`,
    userId: STREAMER,
    recordedAtMs: clock.now() - daysAgo * DAY_MS,
  });
}

async function setRule(changes: RuleChanges): Promise<void> {
  await database.run(
    sql`UPDATE channels SET changes = ${JSON.stringify({ backDays: null, ...changes })}`,
  );
  await judgeVods(database, STREAMER, clock.now());
}

async function decisions(): Promise<string> {
  const rows = await database.all(sql`SELECT vod_id || ' ' || coalesce(reason, decision) AS text
    FROM vod_states WHERE NOT is_stored ORDER BY recorded_at`);
  return rows.map(({ text }) => text).join(", ");
}

test("the newest are taken, and as newer ones come, fail or go, others in their place", async () => {
  for (const id of [1, 2, 3, 4]) await see(String(id), 10 - id);
  await setRule({ retention: { keep: "count", count: 2 } });
  expect(await decisions()).toBe("1 retention, 2 retention, 3 take, 4 take");
  await see("5", 0, true);
  await judgeVods(database, STREAMER, clock.now());
  expect(await decisions()).toBe("1 retention, 2 retention, 3 retention, 4 take, 5 take");
  await seedUpload(database, { id: "u5", vodId: "5", status: "failed" });
  await tasks.get("trash")?.();
  expect(await decisions()).toBe("1 retention, 2 retention, 3 take, 4 take, 5 take");
  await store("4", 6);
  await judgeVods(database, null, clock.now());
  expect(await decisions()).toBe("1 retention, 2 retention, 3 take, 5 take");
  await database.run(sql`UPDATE files SET locked_at = 1`);
  await tasks.get("trash")?.();
  expect(await decisions()).toBe("1 retention, 2 take, 3 take, 5 take");
  await seedUpload(database, { id: "u2", vodId: "2", status: "processing" });
  await database.run(sql`UPDATE files SET locked_at = NULL`);
  await judgeVods(database, null, clock.now());
  expect(await decisions()).toBe("1 retention, 2 take, 3 take, 5 take");
  await setRule({});
  expect(await decisions()).toBe("1 take, 2 take, 3 take, 5 take");
});

/** Runs `change` before the first decisions are written. */
async function judgeWhile(change: () => Promise<unknown>): Promise<void> {
  let isChanged = false;
  const during: typeof database = {
    ...database,
    async batch(statements, options) {
      if (!isChanged) {
        isChanged = true;
        await change();
      }
      return await database.batch(statements, options);
    },
  };
  await judgeVods(during, null, clock.now());
}

test("a rule that is saved while an earlier one is judged decides in the end", async () => {
  for (const id of [1, 2]) await see(String(id), 10 - id);
  await judgeWhile(() => setRule({ kinds: ["upload"] }));
  expect(await decisions()).toBe("1 kind, 2 kind");
});

test("what a person decides while a rule is judged stays", async () => {
  for (const id of [1, 2]) await see(String(id), 10 - id);
  await judgeWhile(() =>
    database.run(sql`UPDATE vods SET decision = 'leave', reason = 'by_hand', decided_by = ${ADMIN}
      WHERE vod_id = '1'`),
  );
  expect(await decisions()).toBe("1 by_hand, 2 take");
});

test("a channel with more copies and VODs than a text holds is ranked whole", async () => {
  await store("1", 20);
  const many = sql`WITH RECURSIVE n (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM n WHERE id < 4500)`;
  await database.batch([
    sql`INSERT INTO vods (vod_id, owner_id, kind, title, duration_sec, recorded_at, first_seen_at,
        last_seen_at)
      ${many} SELECT id, ${STREAMER}, 'archive', 'x', 3600, ${clock.now() - 10 * DAY_MS} + id, 0, 0
      FROM n`,
    sql`INSERT INTO files (object_key, filename, user_id, vod_id, upload_type, size_bytes,
        content_type, last_modified_at, status, recorded_at)
      ${many} SELECT 'k' || id, 'x', ${STREAMER}, id, 'twitch', 1, 'video/mp2t', 0, 'complete',
        ${clock.now() - 10 * DAY_MS} + id FROM n WHERE id > 2250`,
  ]);
  const retention = { keep: "count", count: 2250 } as const;
  const admin = await vodkeep.signIn(ADMIN);
  const found = await admin.expect(simulateRetention, undefined, {
    body: { channelId: STREAMER, retention },
  });
  expect(found.files).toBe(1);
  await setRule({ retention: { keep: "count", count: 2251 } });
  const rows = await database.all(
    sql`SELECT coalesce(reason, decision) AS text, count(*) AS n FROM vod_states WHERE NOT is_stored
      GROUP BY 1 ORDER BY 1`,
  );
  expect(rows).toEqual([
    { text: "retention", n: 2248 },
    { text: "take", n: 1 },
  ]);
});

test("what becomes too old while it waits is left out, but not while it grows", async () => {
  await see("1", 3, true);
  for (const id of [2, 3]) await see(String(id), 2.9 - id / 2);
  await setRule({ retention: { keep: "days", days: 2 } });
  expect(await decisions()).toBe("1 take, 2 take, 3 take");
  clock.advance(DAY_MS / 4);
  await database.run(sql`UPDATE deployment SET scan_ended_at = ${clock.now()}`);
  await tasks.get("trash")?.();
  expect(await decisions()).toBe("1 take, 2 retention, 3 take");
});

test("bytes are those of stored files and, by their length, of what is not stored yet", async () => {
  for (const id of [1, 2, 3]) await see(String(id), 10 - id);
  await see("4", 1);
  await store("4", 1);
  await database.run(sql`UPDATE files SET size_bytes = 2_000_000_000`);
  // An hour at 6 Mbit/s takes 2.7 GB.
  await setRule({ retention: { keep: "bytes", sizeBytes: 7_500_000_000 } });
  expect(await decisions()).toBe("1 retention, 2 take, 3 take");
});

test("a preview and Archive all say what they leave out, and what a person takes is kept", async () => {
  for (const id of [1, 2, 3]) await see(String(id), 10 - id);
  const retention = { keep: "count", count: 1 } as const;
  await setRule({ retention, kinds: ["upload"] });
  expect(await decisions()).toBe("1 kind, 2 kind, 3 kind");
  const admin = await vodkeep.signIn(ADMIN);
  const preview = await admin.expect(previewRule, undefined, {
    body: { channelId: STREAMER, rule: { ...BUILT_IN_RULE, backDays: null, retention } },
  });
  expect(preview.taken.vods).toBe(1);
  expect(preview.leftOut).toEqual([{ reason: "retention", vods: 2 }]);
  expect(preview.vods.map(({ reason }) => reason)).toEqual([null, "retention", "retention"]);
  const vods = await admin.expect(listVods, addressOf(listVods, { id: STREAMER }));
  expect([vods.notArchived.vods, vods.removedAtOnce]).toEqual([1, 2]);
  const take = (body: object) =>
    admin.expect(decideVods, addressOf(decideVods, { id: STREAMER }), {
      body: { decision: "take", ...body },
    });
  expect(await take({})).toEqual({ changed: 1 });
  expect(await decisions()).toBe("1 kind, 2 kind, 3 take");
  expect(await take({ vodIds: ["1"] })).toEqual({ changed: 1 });
  await store("1", 9);
  await see("4", 1);
  await store("4", 1);
  const simulation = await admin.expect(simulateRetention, undefined, {
    body: { channelId: STREAMER, retention },
  });
  expect(simulation).toMatchObject({ files: 0, kept: [{ reason: "by_hand", files: 1 }] });
});

test("what a person archived and deleted is not taken when its place in the retention is free", async () => {
  for (const id of [1, 2, 3]) await see(String(id), 10 - id);
  await setRule({ retention: { keep: "count", count: 1 } });
  for (const id of ["1", "2"])
    await seedUpload(database, { id: `u${id}`, vodId: id, status: "failed" });
  await database.batch([
    sql`UPDATE uploads SET by_rule = 1 WHERE vod_id = '2'`,
    sql`UPDATE vods SET gone_at = 1 WHERE vod_id = '3'`,
  ]);
  for (const uploadId of ["u1", "u2"])
    await deleteUpload(vodkeep.context, { uploadId, actorId: ADMIN, atMs: clock.now() });
  await judgeVods(database, STREAMER, clock.now());
  expect(await decisions()).toBe("1 by_hand, 2 take, 3 take");
});

test("a broadcast that grows is taken once it is long enough", async () => {
  await see("1", 11 / 1_440, true);
  await database.run(sql`UPDATE vods SET duration_sec = 0`);
  await setRule({ minDurationSec: 1_800 });
  for (const [minutes, decision] of [
    [0, "1 too_short"],
    [18, "1 too_short"],
    [1, "1 take"],
  ] as const) {
    clock.advance(minutes * MINUTE_MS);
    await tasks.get("starts by rules")?.();
    expect(await decisions()).toBe(decision);
  }
  await setRule({ minDurationSec: 7_200 });
  await database.run(sql`UPDATE channels SET stream_missed_at = 1`);
  clock.advance(60 * MINUTE_MS);
  await tasks.get("starts by rules")?.();
  expect(await decisions()).toBe("1 too_short");
});
