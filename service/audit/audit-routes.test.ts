import { afterAll, expect, test } from "vitest";
import { listAudit, verifyAudit } from "#contract/audit.ts";
import { clearCache } from "#contract/system.ts";
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
