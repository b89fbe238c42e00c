import { afterAll, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { notificationEventIf } from "#service/changes/notification-event.ts";
import { eraseChatter } from "#service/chat/chat-erasure.ts";
import { sql } from "#service/db/sql.ts";
import { createJobHandlers } from "#service/job-handlers.ts";
import { fanOutEvents } from "#service/notifications/outbox.ts";
import { abortKey, planRemoval } from "#service/storage/store-removals.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { createLeaseThief } from "#service/testing/lease-thief.ts";
import { type JobKind, KINDS } from "./job-kinds.ts";
import { runDue } from "./job-runner.ts";
import { plan } from "./jobs.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

const ACTOR = { actorId: userIdSchema.parse("1001"), requestId: "r1", address: "192.0.2.1" };
const EVENT = { type: "vod_lost", subject: null, title: "Lost", body: "It.", link: null } as const;
const WEBHOOK = "0".repeat(24);
const OBJECT = objectKeySchema.parse("vods/1/2/3.ts");
const { clock, database } = world.context.platform;
/** Plans one job of each kind, again and again, and returns its key. */
const JOBS: Readonly<Record<JobKind, () => Promise<string>>> = {
  async abort() {
    await database.run(planRemoval({ key: OBJECT, multipartId: "7" }, 0));
    return abortKey(OBJECT, "7");
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
  async extras() {
    const { uploadId } = await world.addVod({ segmentCount: 2 });
    await world.archiveToEnd(uploadId);
    await database.batch([
      sql`UPDATE uploads SET has_thumbnail = 0 WHERE id = ${uploadId}`,
      sql`UPDATE files SET metadata = json_remove(metadata, '$.chapters')`,
      plan("extras", uploadId, 0),
    ]);
    return uploadId;
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
  telegram: () => notify("telegram"),
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

it.each(KINDS)(
  "whichever write of a job of kind %s finds its lease lost, it changes no row",
  async (kind) => {
    const thief = createLeaseThief(database, "job");
    const platform = { ...world.context.platform, database: thief.database };
    const context = { ...world.context, platform };
    const handlers = createJobHandlers(context, world.jobNeeds);
    let thefts = 0;
    for (;;) {
      await database.run(sql`DELETE FROM jobs`);
      const key = await JOBS[kind]();
      thief.arm(key);
      await runDue(context, kind, handlers[kind], 1);
      const theft = thief.theft();
      if (theft === undefined) break;
      thefts += 1;
      expect({ write: theft.write, rows: theft.after }).toEqual({
        write: theft.write,
        rows: theft.before,
      });
    }
    expect(thefts).toBeGreaterThan(0);
    expect(await database.all(sql`SELECT error FROM jobs WHERE kind = ${kind}`)).toEqual([]);
  },
);
