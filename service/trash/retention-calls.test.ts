import { afterAll, beforeEach, expect, test } from "vitest";
import * as channels from "#contract/channels.ts";
import { browseFiles, getFile, objectKeySchema } from "#contract/files.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import * as calls from "#contract/trash.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { MEDIA_PREFIX, playlistKeyOf } from "#service/files/media-server.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { countRows } from "#service/testing/count-rows.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { ADMIN, startTestService, STREAMER } from "#service/testing/test-service.ts";
import { runRetention } from "./retention-run.ts";

const DAY_MS = 86_400_000;
const OLD = objectKeySchema.parse(`vods/${STREAMER}/1/old.ts`);
const LOCKED = objectKeySchema.parse(`vods/${STREAMER}/2/locked.ts`);
const NEW = objectKeySchema.parse(`vods/${STREAMER}/3/new.ts`);
const BYTES = Uint8Array.from({ length: 5_000 }, (_byte, index) => index % 251);
const MONTH = { keep: "days", days: 30 } as const;

const vodkeep = await startTestService();
const { database, objects } = vodkeep.platform;
let admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());

beforeEach(async () => {
  admin = await vodkeep.signIn(ADMIN);
  const nowMs = vodkeep.clock.now();
  await database.batch([
    sql`DELETE FROM files`,
    sql`DELETE FROM channels`,
    sql`UPDATE deployment SET default_rule = '{}', default_rule_author_id = NULL, rules_paused_at = NULL`,
    sql`UPDATE deployment SET scan_ended_at = ${nowMs}`,
  ]);
  await admin.expect(channels.addChannels, undefined, { body: { names: ["pixelpilot"] } });
  for (const [key, ageDays] of [
    [OLD, 60],
    [LOCKED, 50],
    [NEW, 1],
  ] as const)
    await seedFile(vodkeep.platform, {
      key,
      userId: STREAMER,
      bytes: BYTES,
      recordedAtMs: nowMs - ageDays * DAY_MS,
    });
  await objects.put(playlistKeyOf(OLD), new TextEncoder().encode("#EXTM3U\n"), {
    contentType: "application/vnd.apple.mpegurl",
  });
  await admin.expect(calls.lockFile, addressOf(calls.lockFile, { key: LOCKED }), {
    body: { locked: true },
  });
});

function simulate() {
  return admin.expect(calls.simulateRetention, undefined, { body: { retention: MONTH } });
}

async function save(simulation: string | undefined, client = admin) {
  const { rule } = await admin.expect(channels.readChannelDefaults);
  const body = { rule: { ...rule, retention: MONTH }, ...(simulation && { simulation }) };
  return (await client.call("PUT", channels.updateChannelDefaults.path, { body })).status;
}

function pause(paused: boolean) {
  return admin.expect(channels.updateChannelDefaults, undefined, { body: { paused } });
}

async function keysIn(query: string) {
  const { files } = await admin.expect(browseFiles, `${browseFiles.path}?${query}`);
  return files.map(({ key }) => key).toSorted();
}

/** The service ran until now. */
async function runNow(by = database) {
  const nowMs = vodkeep.clock.now();
  await database.batch([
    sql`UPDATE deployment SET scan_ended_at = ${nowMs}`,
    sql`WITH RECURSIVE hours AS (SELECT 0 AS ago UNION ALL SELECT ago + 1 FROM hours WHERE ago < 14 * 24)
      INSERT OR IGNORE INTO system_history (kind, at)
      SELECT 'hour', (${nowMs} / 3600000 - ago) * 3600000 FROM hours`,
  ]);
  const { context } = vodkeep;
  await runRetention({ ...context, platform: { ...context.platform, database: by } }, nowMs);
}

test("a rule that removes files is saved only by whoever saw the list of these files", async () => {
  const list = await simulate();
  expect(list).toMatchObject({ files: 1, sizeBytes: BYTES.length, lastCopies: 0 });
  expect(list.removed.map(({ key }) => key)).toEqual([OLD]);
  expect(list.kept).toEqual([{ reason: "locked", files: 1 }]);
  expect(await save(undefined)).toBe(409);
  const writer = await vodkeep.signInWith("1002", ["read:uploads", "write:uploads"]);
  expect(await save(list.digest, writer)).toBe(403);
  // A pause holds the files back, and does not spare anyone the list.
  await pause(true);
  const paused = await simulate();
  expect([paused.files, paused.digest]).toEqual([0, list.digest]);
  expect(paused.kept).toContainEqual({ reason: "paused", files: 1 });
  expect(await save(undefined)).toBe(409);
  await database.run(sql`UPDATE files SET locked_at = NULL`);
  expect(await save(list.digest)).toBe(409);
  expect(await save((await simulate()).digest)).toBe(200);
  await runNow();
  expect(await keysIn("trash=only")).toEqual([]);
  await pause(false);
  await runNow();
  expect(await keysIn("trash=only")).toEqual([OLD, LOCKED].toSorted());
});

test("a restored file is the same byte for byte, plays, and is locked", async () => {
  await save((await simulate()).digest);
  await runNow();
  expect(await keysIn("trash=only")).toEqual([OLD]);
  await admin.expect(calls.restoreFiles, undefined, { body: { keys: [OLD] } });
  vodkeep.clock.advance(15 * DAY_MS);
  const again = await vodkeep.signIn(ADMIN);
  await runNow();
  const file = await again.expect(getFile, addressOf(getFile, { key: OLD }));
  expect([file.trashUntil, file.lockedAt]).toEqual([null, expect.any(String)]);
  const read = async (address = "", headers = {}) => {
    expect(address).toContain(MEDIA_PREFIX);
    const answer = await vodkeep
      .visitor()
      .send("GET", address, { headers: { origin: "", ...headers } });
    return new Uint8Array(await answer.arrayBuffer());
  };
  const { digests } = vodkeep.platform;
  const whole = await read(file.downloadUrl);
  expect(await digests.sha256(whole)).toBe(await digests.sha256(BYTES));
  expect(await read(file.downloadUrl, { range: "bytes=7-99" })).toEqual(BYTES.slice(7, 100));
  expect(new TextDecoder().decode(await read(file.playlistUrl))).toBe("#EXTM3U\n");
});

test("after 14 days a file is deleted on the right of the rule's author", async () => {
  const allow = (permissions: readonly string[]) =>
    database.run(
      sql`UPDATE users SET permissions = ${JSON.stringify(permissions)} WHERE id = ${ADMIN}`,
    );
  await save((await simulate()).digest);
  await runNow();
  vodkeep.clock.advance(13 * DAY_MS);
  await runNow();
  expect(await objects.head(OLD)).not.toBeNull();
  vodkeep.clock.advance(DAY_MS);
  await allow(["write:uploads"]);
  await runNow();
  expect(await objects.head(OLD)).not.toBeNull();
  await allow(PERMISSIONS);
  await runNow();
  expect(await objects.head(OLD)).toBeNull();
  const entries = await database.all(
    sql`SELECT actor_id, reason FROM audit WHERE action = 'file.delete' AND target = ${OLD}`,
  );
  expect(entries).toEqual([{ actor_id: ADMIN, reason: expect.stringContaining("14 days") }]);
});

test("a jump of the clock completes the 14 days of no file", async () => {
  await save((await simulate()).digest);
  await runNow();
  vodkeep.clock.advance(15 * DAY_MS);
  const nowMs = vodkeep.clock.now();
  await database.run(sql`UPDATE deployment SET scan_ended_at = ${nowMs}`);
  await runRetention(vodkeep.context, nowMs);
  expect(await objects.head(OLD)).not.toBeNull();
  await runNow();
  expect(await objects.head(OLD)).toBeNull();
});

test.each(["rule", "hand"])("a run deletes fifty files of those trashed by %s", async (by) => {
  for (let count = 0; count < 50; count += 1)
    await seedFile(vodkeep.platform, { key: `${count}`, userId: STREAMER, recordedAtMs: 1 });
  await save((await simulate()).digest);
  await runNow();
  if (by === "hand")
    await database.batch([
      sql`UPDATE files SET trashed_by = ${ADMIN} WHERE trash_until IS NOT NULL`,
      sql`UPDATE deployment SET rules_paused_at = 1`,
    ]);
  vodkeep.clock.advance(14 * DAY_MS);
  for (const left of [51, 1, 0]) {
    expect(await countRows(database, sql`files WHERE trash_until IS NOT NULL`)).toBe(left);
    await runNow();
  }
});

test.each([
  ["locked", sql`UPDATE files SET locked_at = 1`],
  ["found damaged", sql`UPDATE files SET status = 'partial', metadata = '{"problem":"x"}'`],
  ["found orphaned", sql`UPDATE files SET status = 'orphaned'`],
])("a file that is %s while the list of what goes is read does not go", async (_how, change) => {
  const changing: Database = {
    ...database,
    async batch(statements, options) {
      await database.run(change);
      return await database.batch(statements, options);
    },
  };
  await save((await simulate()).digest);
  await runNow(changing);
  expect(await keysIn("trash=only")).toEqual([]);
  await database.run(sql`UPDATE files SET locked_at = NULL, status = 'complete', metadata = '{}'`);
  await runNow();
  expect(await keysIn("trash=only")).toContain(OLD);
  vodkeep.clock.advance(14 * DAY_MS);
  await runNow(changing);
  expect(await objects.head(OLD)).not.toBeNull();
});

test("what rules moved to the trash is told once a day, and nothing if there is nothing", async () => {
  const told = async () => {
    const rows = await database.all(
      sql`SELECT title, body, link FROM notification_events WHERE type = 'files_trashed' ORDER BY seq`,
    );
    return rows.map(({ title, body, link }) => [title, body, link].join(" | "));
  };
  await database.run(sql`DELETE FROM notification_events`);
  await runNow();
  expect(await told()).toEqual([]);
  await save((await simulate()).digest);
  await runNow();
  const end =
    "By the rules of PixelPilot. A click restores a file for 14 days. | /files?trash=only";
  expect(await told()).toEqual([`1 file went to the trash | ${end}`]);
  await database.run(sql`UPDATE files SET locked_at = NULL`);
  for (const key of ["a", "b"])
    await seedFile(vodkeep.platform, { key, userId: STREAMER, recordedAtMs: 1 });
  vodkeep.clock.advance(DAY_MS - 60_000);
  await runNow();
  expect(await told()).toHaveLength(1);
  vodkeep.clock.advance(60_000);
  await runNow();
  await runNow();
  expect((await told()).slice(1)).toEqual([`3 files went to the trash | ${end}`]);
  vodkeep.clock.advance(DAY_MS);
  await runNow();
  expect(await told()).toHaveLength(2);
});

test("a channel with stored files keeps them until somebody sets its retention", async () => {
  await database.run(sql`DELETE FROM channels`);
  const body = { names: ["pixelpilot"], changes: { retention: { keep: "count", count: 1 } } };
  await admin.expect(channels.addChannels, undefined, { body });
  const address = addressOf(channels.getChannel, { id: STREAMER });
  expect((await admin.expect(channels.getChannel, address)).rule.retention).toEqual({
    keep: "all",
  });
  const { changes } = body;
  expect((await admin.call("PUT", address, { body: { changes } })).status).toBe(409);
});
