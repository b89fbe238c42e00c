import { afterAll, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import { makeBackup } from "#service/backups/nightly-backup.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { notificationEventIf } from "#service/changes/notification-event.ts";
import { eraseChatter } from "#service/chat/chat-erasure-request.ts";
import { sql } from "#service/db/sql.ts";
import { createJobHandlers } from "#service/job-handlers.ts";
import { fanOutEvents } from "#service/notifications/outbox.ts";
import type { LibraryFolder } from "#service/ports/library-folder.ts";
import { abortKey, planRemoval } from "#service/storage/store-removals.ts";
import { wakeVodChecks } from "#service/storage/upload-vod.ts";
import { readDeployment } from "#service/store/deployment.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { createLeaseThief } from "#service/testing/lease-thief.ts";
import { type JobKind, KINDS } from "./job-kinds.ts";
import { runDue } from "./job-runner.ts";
import { plan, SOLE } from "./jobs.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

const ACTOR = { actorId: userIdSchema.parse("1001"), requestId: "r1", address: "192.0.2.1" };
const EVENT = { type: "vod_lost", subject: null, title: "Lost", body: "It.", link: null } as const;
const WEBHOOK = "0".repeat(24);
const OBJECT = objectKeySchema.parse("vods/1/2/3.ts");
const { clock, database } = world.context.platform;
const { control } = world.twitch;
/** Two pieces, and comments behind them. */
const CHAT = {
  segmentCount: 30,
  segmentSizeBytes: 20_000,
  commentsPerMinute: 700,
  commentsPerPage: 400,
};

async function answeredChat(body: string): Promise<string> {
  const { vodId, uploadId } = await world.addVod(CHAT);
  await world.twitch.control.addFault({
    match: { vodId, body: "omments" },
    fault: { type: "body", body },
    times: "forever",
  });
  return uploadId;
}

/** Ways of a chat to its end, or to its next slice. */
const CHATS = {
  "that is read whole": async () => (await world.addVod(CHAT)).uploadId,
  "that waits for its source": () => answeredChat('{"data":null}'),
  async "that has lost a piece"() {
    const { uploadId } = await world.addVod(CHAT);
    await database.batch([
      sql`INSERT INTO chat_pieces (upload_id, number, object_key, size_bytes)
        VALUES (${uploadId}, 0, 'chat-pieces/none/0-0', 1)`,
      sql`UPDATE chats SET pieces = 1, read_until_sec = 1 WHERE upload_id = ${uploadId}`,
    ]);
    return uploadId;
  },
  async "that is gone"() {
    const uploadId = await answeredChat('{"data":{"video":null}}');
    await database.run(sql`UPDATE chats SET gone_answers = 3 WHERE upload_id = ${uploadId}`);
    return uploadId;
  },
};

/** A file that no longer holds what was archived. */
async function storeDamaged(): Promise<string> {
  const { uploadId } = await world.addVod({ segmentCount: 2 });
  const { fileKey } = await world.archiveToEnd(uploadId);
  const key = objectKeySchema.parse(fileKey);
  const { sizeBytes = 0 } = (await objects.head(key)) ?? {};
  await objects.put(key, new Uint8Array(sizeBytes), { contentType: "video/mp2t" });
  return key;
}

/** Plans one job of each kind, again and again, and returns its key. */
const JOBS: Readonly<Record<JobKind, () => Promise<string>>> = {
  async abort() {
    await database.run(planRemoval({ key: OBJECT, multipartId: "7" }, 0));
    return abortKey(OBJECT, "7");
  },
  async backup() {
    await database.run(plan("backup", SOLE, 0));
    return SOLE;
  },
  async cancel() {
    const uploadId = await world.addUpload("2000000001");
    await database.batch([
      sql`UPDATE uploads SET initiated_by = '1005' WHERE id = ${uploadId}`,
      auditEntry({ ...ACTOR, atMs: clock.now(), action: "user.ban", target: "1005" }),
      plan("cancel", "1005", 0),
    ]);
    return "1005";
  },
  async chat() {
    const { uploadId } = await world.addVod({ ...CHAT, growing: { initialSegments: 3 } });
    return uploadId;
  },
  email: () => notify("email"),
  async erasure() {
    const { uploadId } = await world.addVod({ segmentCount: 10, commentsPerMinute: 60 });
    await world.readChatToEnd(uploadId);
    const { debugInfo } = await world.upload(uploadId);
    const [, sender] =
      /"_id":"(\d+)","name"/.exec(await world.storedText(debugInfo.chatFileId ?? "none")) ?? [];
    await eraseChatter(world.context, sender ?? "", ACTOR);
    await database.run(sql`DELETE FROM jobs WHERE key <> ${uploadId}`);
    return uploadId;
  },
  async library() {
    const { uploadId } = await world.addVod({ segmentCount: 2 });
    await world.archiveToEnd(uploadId);
    // Its id is made by the first who asks.
    await readDeployment(world.context.platform);
    await database.run(plan("library", SOLE, 0));
    return SOLE;
  },
  async list() {
    const ownerId = "1003";
    await control.addVod({ ownerId });
    await database.batch([
      sql`INSERT OR IGNORE INTO users (id, login, display_name, created_at)
        VALUES (${ownerId}, 'listed', 'Listed', 0)`,
      sql`DELETE FROM channels`,
      sql`DELETE FROM vods`,
      sql`INSERT INTO channels (owner_id, added_at, added_by, author_id)
        VALUES (${ownerId}, 0, ${ownerId}, ${ownerId})`,
      plan("list", ownerId, 0),
    ]);
    return ownerId;
  },
  async profileCheck() {
    const strangerId = "999999999";
    await database.batch([
      sql`INSERT OR IGNORE INTO users (id, login, display_name, created_at)
        VALUES (${strangerId}, 'gone', 'Gone', 0)`,
      sql`DELETE FROM channels`,
      sql`INSERT INTO channels (owner_id, added_at, added_by, author_id, unlisted_profile_at)
        VALUES (${strangerId}, 0, ${strangerId}, ${strangerId}, 0)`,
      plan("profileCheck", SOLE, 0),
    ]);
    return SOLE;
  },
  async reindex() {
    const uploadId = await world.addUpload("2000000001");
    const [row] = await database.all(sql`SELECT owner_id FROM uploads WHERE id = ${uploadId}`);
    const ownerId = String(row?.owner_id);
    await database.run(plan("reindex", ownerId, 0));
    return ownerId;
  },
  async removal() {
    await database.run(planRemoval({ key: OBJECT, multipartId: null }, 0));
    return OBJECT;
  },
  async restoreTest() {
    const { snapshots } = world.context.platform;
    if (snapshots !== undefined) await makeBackup(world.context, snapshots);
    await database.run(plan("restoreTest", SOLE, 0));
    return SOLE;
  },
  telegram: () => notify("telegram"),
  async twitch() {
    await database.run(plan("twitch", SOLE, 0));
    return SOLE;
  },
  async verify() {
    const key = await storeDamaged();
    await database.run(plan("verify", key, 0));
    return key;
  },
  async vodCheck() {
    const { uploadId } = await world.addVod({ segmentCount: 2 });
    await world.archiveToEnd(uploadId);
    await database.batch([
      sql`UPDATE vods SET next_check_at = 0`,
      sql`DELETE FROM jobs`,
      wakeVodChecks,
    ]);
    return SOLE;
  },
  async webhook() {
    await database.batch([
      sql`DELETE FROM webhooks`,
      sql`INSERT INTO webhooks (id, name, format, host, url, events, enabled, created_at)
        VALUES (${WEBHOOK}, 'w', 'ntfy', 'h', 'u', '["vod_lost"]', 1, 0)`,
      notificationEventIf(EVENT, 0, sql`TRUE`),
    ]);
    await fanOutEvents(world.context.platform, []);
    return WEBHOOK;
  },
};

/** Nothing that is to be in it is there. */
const LIBRARY: LibraryFolder = {
  path: "/library",
  open: async () => undefined,
  place: async () => READY,
  write: async () => READY,
  remove: async () => undefined,
};
const MARK = { sizeBytes: 0, modifiedMs: 0 };
const READY = {
  outcome: "ready",
  mark: { ...MARK, replaces: null },
  name: async () => ({ outcome: "kept", mark: MARK }) as const,
} as const;

async function notify(channel: "telegram" | "email"): Promise<string> {
  const { messaging } = world.jobNeeds;
  await database.batch([
    sql`INSERT OR IGNORE INTO users (id, login, display_name, permissions, created_at)
      VALUES ('7', 'told', 'Told', '["read:uploads"]', 0)`,
    sql`INSERT OR REPLACE INTO notification_preferences (user_id, enabled_events, updated_at)
      VALUES ('7', json_object('vod_lost', json_array(${channel})), 0)`,
    notificationEventIf(EVENT, clock.now(), sql`TRUE`),
  ]);
  await fanOutEvents(world.context.platform, [messaging[channel]]);
  return "7";
}

const { objects } = world.context.platform;

/** Robs each write of a job of its lease, in turn, and returns how many there were. */
async function rob(kind: JobKind, prepare: () => Promise<string>): Promise<number> {
  const thief = createLeaseThief(database, "job");
  const platform = {
    ...world.context.platform,
    library: LIBRARY,
    database: thief.database,
    objects: {
      ...objects,
      // So slow that the lease is renewed while pieces are joined.
      async get(...read: Parameters<typeof objects.get>) {
        await clock.sleep(25_000);
        return await objects.get(...read);
      },
    },
  };
  const context = { ...world.context, platform };
  const handlers = createJobHandlers(context, world.jobNeeds);
  for (let thefts = 0; ; thefts += 1) {
    await database.run(sql`DELETE FROM jobs`);
    const key = await prepare();
    thief.arm(key);
    await runDue(context, kind, handlers[kind], 1);
    const theft = thief.theft();
    if (theft === undefined) return thefts;
    expect({ write: theft.write, rows: theft.after }).toEqual({
      write: theft.write,
      rows: theft.before,
    });
  }
}

it.each(KINDS)(
  "whichever write of a job of kind %s finds its lease lost, it changes no row",
  async (kind) => {
    expect(await rob(kind, JOBS[kind])).toBeGreaterThan(0);
    expect(await database.all(sql`SELECT error FROM jobs WHERE error IS NOT NULL`)).toEqual([]);
  },
);

it("whichever write of a check that finds damage gone finds its lease lost, it changes no row", async () => {
  const thefts = await rob("verify", async () => {
    const { uploadId } = await world.addVod({ segmentCount: 2 });
    const { fileKey } = await world.archiveToEnd(uploadId);
    const key = objectKeySchema.parse(fileKey);
    await database.batch([
      sql`UPDATE files SET status = 'partial', metadata = json_set(metadata, '$.problem', 'p',
        '$.problems', json('{"part1":"p"}'), '$.damagedParts', json('{"1":{}}')) WHERE object_key = ${key}`,
      plan("verify", key, 0),
    ]);
    return key;
  });
  expect(thefts).toBeGreaterThan(1);
});

it("whichever write of the scrub finds its lease lost, it changes no row", async () => {
  const thefts = await rob("verify", async () => {
    await database.run(sql`DELETE FROM files`);
    await storeDamaged();
    const nowMs = clock.now();
    await database.batch([
      sql`UPDATE deployment SET verify_before_at = ${nowMs}`,
      plan("verify", SOLE, nowMs),
    ]);
    return SOLE;
  });
  expect(thefts).toBeGreaterThan(2);
});

it.each(Object.entries(CHATS))(
  "whichever write of a chat %s finds its lease lost, it changes no row",
  async (_, prepare) => {
    expect(await rob("chat", prepare)).toBeGreaterThan(0);
  },
);
