import { afterAll, expect, test } from "vitest";
import { userIdSchema, type UserId } from "#contract/ids.ts";
import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { sql } from "#service/db/sql.ts";
import { runDue } from "#service/jobs/job-runner.ts";
import { plan } from "#service/jobs/jobs.ts";
import { ApiError } from "#service/api-error.ts";
import { startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { cancellationJob } from "./ban-cancellations.ts";
import { banUser, unbanUser } from "./ban-user.ts";
import { setPermissions } from "./set-permissions.ts";

const vodkeep = await startTestService();
const settings = { ...vodkeep.settings, ADMIN_TWITCH_IDS: ["900"] };
const context = { ...vodkeep.context, settings };
afterAll(() => vodkeep.close());

const USERS = ["900", "901", "902", "903", "904"].map((id) => userIdSchema.parse(id));
const [, LEFT, RIGHT] = USERS;
const BAN = { actorId: "901", requestId: "race" };

async function cancelDue(): Promise<void> {
  await runDue(context, "cancel", cancellationJob(context), 1);
}

async function setUsers(rights: (id: UserId) => readonly Permission[]): Promise<void> {
  await vodkeep.platform.database.batch(
    USERS.map(
      (id) => sql`
        INSERT INTO users (id, login, display_name, permissions, created_at)
        VALUES (${id}, ${`u${id}`}, ${`U ${id}`}, ${JSON.stringify(rights(id))}, 0)
        ON CONFLICT (id) DO UPDATE SET permissions = excluded.permissions, banned_at = NULL`,
    ),
  );
}

async function canManage(): Promise<readonly string[]> {
  const rows = await vodkeep.platform.database.all(sql`
    SELECT id FROM users WHERE banned_at IS NULL
      AND instr(permissions, 'write:users') AND instr(permissions, 'read:users')`);
  return rows.map((row) => String(row.id));
}

type Step = {
  actorId: UserId;
  targetId: UserId;
  act: "permissions" | "ban" | "unban";
  permissions: Permission[];
};

/** True when the step took effect; refusals are expected. */
async function take({ actorId, targetId, act, permissions }: Step): Promise<boolean> {
  const input = { actorId, targetId, requestId: "race" };
  try {
    if (act === "ban") await banUser(context, { ...input, reason: null });
    else if (act === "unban") await unbanUser(context, input);
    else await setPermissions(context, { ...input, permissions, version: undefined });
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

test("when two administrators demote or ban each other concurrently, one remains", async () => {
  if (LEFT === undefined || RIGHT === undefined) throw new Error("There are five users");
  for (let race = 0; race < 100; race += 1) {
    // The settings' administrator has not signed in yet, so these are the only two.
    await setUsers((id) => (id === LEFT || id === RIGHT ? PERMISSIONS : []));
    const act = race % 2 === 0 ? "ban" : "permissions";
    const outcomes = await Promise.all([
      take({ actorId: LEFT, targetId: RIGHT, act, permissions: [] }),
      take({ actorId: RIGHT, targetId: LEFT, act, permissions: ["read:users"] }),
    ]);
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(await canManage()).toHaveLength(1);
  }
});

test("when two administrators ban each other, the remaining one keeps their session and uploads", async () => {
  if (LEFT === undefined || RIGHT === undefined) throw new Error("There are five users");
  const { database } = vodkeep.platform;
  await setUsers((id) => (id === LEFT || id === RIGHT ? PERMISSIONS : []));
  for (const id of [LEFT, RIGHT]) {
    await seedUpload(database, { id: `by-${id}`, status: "pending" });
    await database.run(sql`UPDATE uploads SET initiated_by = ${id} WHERE id = ${`by-${id}`}`);
    await database.run(sql`
      INSERT INTO sessions (id, user_id, cookie_hash, bearer_hash, bearer_expires_at, created_at,
        last_seen_at, expires_at)
      VALUES (${`of-${id}`}, ${id}, ${`c-${id}`}, ${`b-${id}`}, 0, 0, 0, 0)`);
  }
  await Promise.all([
    take({ actorId: LEFT, targetId: RIGHT, act: "ban", permissions: [] }),
    take({ actorId: RIGHT, targetId: LEFT, act: "ban", permissions: [] }),
  ]);
  await cancelDue();
  const started = await database.all(sql`
    SELECT u.banned_at IS NOT NULL AS is_banned, p.status, s.revoked_reason
    FROM uploads p JOIN users u ON u.id = p.initiated_by JOIN sessions s ON s.user_id = u.id
    ORDER BY is_banned`);
  expect(started).toEqual([
    { is_banned: 0, status: "pending", revoked_reason: null },
    { is_banned: 1, status: "cancelled", revoked_reason: "banned" },
  ]);
});

test("an upload that started between the ban and its cancellation keeps running", async () => {
  const { database } = vodkeep.platform;
  await seedUpload(database, { id: "begun", status: "processing" });
  await database.batch([
    auditEntry({ atMs: Date.now(), ...BAN, action: "user.ban", target: "900" }),
    sql`UPDATE uploads SET initiated_by = '900' WHERE id = 'begun'`,
    plan("cancel", "900", 0),
  ]);
  await cancelDue();
  const [begun] = await database.all(sql`SELECT status FROM uploads WHERE id = 'begun'`);
  expect(begun?.status).toBe("processing");
  expect(await database.all(sql`SELECT 1 FROM jobs WHERE kind = 'cancel'`)).toEqual([]);
});
