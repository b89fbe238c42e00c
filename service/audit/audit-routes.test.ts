import { afterAll, expect, test } from "vitest";
import { exportAudit, listAudit, verifyAudit } from "#contract/audit.ts";
import { clearCache } from "#contract/system.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { sql } from "#service/db/sql.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";

const vodkeep = await startTestService();
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());

test("each change and each refusal is recorded once, with actor, target and reason", async () => {
  const { id } = await vodkeep.twitch.control.addAccount();
  const reader = await vodkeep.signInWith(id, ["read:system"]);
  await admin.expect(clearCache);
  expect((await reader.call("POST", clearCache.path)).status).toBe(403);
  await admin.call("PUT", `/admin/users/${id}/permissions`, {
    body: { permissions: ["read:system", "read:users"] },
  });

  const ofCache = await reader.expect(listAudit, `${listAudit.path}?action=cache.clear`);
  expect(ofCache.items).toHaveLength(1);
  expect(ofCache.items[0]).toMatchObject({ result: "done", actor: { userId: ADMIN } });

  const refused = await reader.expect(listAudit, `${listAudit.path}?result=refused&actorId=${id}`);
  expect(refused.items).toHaveLength(1);
  expect(refused.items[0]).toMatchObject({
    action: "access.refuse",
    target: "POST /admin/system/cache/clear",
    reason: "This needs the permission write:system.",
  });
  const found = await reader.expect(listAudit, `${listAudit.path}?search=USER.PERM`);
  expect(found.items[0]).toMatchObject({
    target: id,
    before: ["read:system"],
    after: ["read:users", "read:system"],
  });
  expect(found.total).toBe(1);

  const page = await reader.expect(listAudit, `${listAudit.path}?limit=2&page=2`);
  expect(page).toMatchObject({ page: 2, hasPrev: true });
  expect(await reader.expect(verifyAudit)).toMatchObject({ verified: true, firstBrokenId: null });
});

test.each([
  ["since=2020-01-02T00:00:00.000Z", ["3", "2"]],
  ["until=2020-01-02T00:00:00.000Z", ["1"]],
  ["since=2020-01-01T00:00:00.000Z&until=2020-01-03T00:00:00.000Z", ["2", "1"]],
])("the log and its export of %s contain only that span", async (span, days) => {
  const { database } = vodkeep.platform;
  const old = await database.all(sql`SELECT 1 FROM audit WHERE action = 'test.day'`);
  if (old.length === 0) {
    await database.batch(
      ["1", "2", "3"].map((day) =>
        auditEntry({
          atMs: Date.UTC(2020, 0, Number(day)),
          actorId: ADMIN,
          action: "test.day",
          target: day,
        }),
      ),
    );
  }
  const query = `?action=test.day&${span}`;
  const { items } = await admin.expect(listAudit, listAudit.path + query);
  expect(items.map(({ target }) => target)).toEqual(days);
  const { text } = await admin.call("GET", `${exportAudit.path}${query}`);
  expect(text.trimEnd().split("\n")).toHaveLength(days.length);
});

test("targets are named while they exist", async () => {
  const { id } = await vodkeep.twitch.control.addAccount();
  await vodkeep.signInWith(id, ["read:users"]);
  await admin.call("PUT", `/admin/users/${id}/permissions`, { body: { permissions: [] } });
  const { items } = await admin.expect(listAudit, `${listAudit.path}?search=${id}`);
  const [change] = items.filter(({ action }) => action === "user.permissions");
  const [user] = await vodkeep.platform.database.all(
    sql`SELECT display_name AS name FROM users WHERE id = ${id}`,
  );
  expect(change?.targetName).toBe(user?.["name"]);
  expect(items.find(({ action }) => action === "session.open")?.targetName ?? null).toBeNull();
});
