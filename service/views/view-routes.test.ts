import { afterAll, expect, test } from "vitest";
import { listAudit } from "#contract/audit.ts";
import { MAX_SAVED_VIEWS } from "#contract/limits.ts";
import * as calls from "#contract/views.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";

const vodkeep = await startTestService();
const avery = await vodkeep.signIn(ADMIN);
const other = await vodkeep.signInWith((await vodkeep.twitch.control.addAccount()).id, [
  "read:users",
]);
afterAll(() => vodkeep.close());

const STALE = { screen: "/uploads", name: "Failed of pilot", search: "status=failed&search=pilot" };

function save(client: TestClient, view: object) {
  return client.call("PUT", calls.saveView.path, { body: view });
}

async function viewsOf(client: TestClient) {
  return (await client.expect(calls.listViews)).views;
}

test("a view is saved for its owner only, until it is deleted", async () => {
  const { id } = await avery.expect(calls.saveView, undefined, { body: STALE });
  expect(await viewsOf(avery)).toEqual([{ id, ...STALE }]);
  expect(await viewsOf(other)).toEqual([]);
  expect((await other.call("DELETE", `/admin/views/${id}`)).status).toBe(404);

  expect(await avery.expect(calls.deleteView, `/admin/views/${id}`)).toEqual({ id });
  expect(await viewsOf(avery)).toEqual([]);
  expect((await avery.call("DELETE", `/admin/views/${id}`)).status).toBe(404);
  const log = await avery.expect(listAudit, `${listAudit.path}?search=view.`);
  expect(log.items.map(({ action, target }) => [action, target])).toEqual([
    ["view.delete", "/uploads"],
    ["view.save", "/uploads"],
  ]);
  expect(log.items[1]).toMatchObject({ after: STALE });
});

test("replaces a view of the same name on the same screen, but not on another screen", async () => {
  await save(avery, STALE);
  await save(avery, { ...STALE, name: "  Failed of pilot ", search: "status=failed" });
  await save(avery, { ...STALE, screen: "/files", search: "sort=size" });
  const views = await viewsOf(avery);
  expect(views.map(({ screen, search }) => [screen, search])).toEqual([
    ["/uploads", "status=failed"],
    ["/files", "sort=size"],
  ]);
});

test("rejects views beyond the maximum, but existing ones can still be changed", async () => {
  for (let count = 0; count < MAX_SAVED_VIEWS; count += 1)
    await save(other, { ...STALE, name: `view ${count}` });
  const refused = await save(other, { ...STALE, name: "one more" });
  expect(refused.status).toBe(409);
  expect(refused.error?.message).toContain("50 saved views");
  expect((await save(other, { ...STALE, name: "view 7", search: "" })).status).toBe(200);
  expect(await viewsOf(other)).toHaveLength(MAX_SAVED_VIEWS);
});

test.each([
  ["no name", { ...STALE, name: "  " }],
  ["an unsupported screen", { ...STALE, screen: "/system" }],
  ["an overlong search", { ...STALE, search: "x".repeat(2_001) }],
  ["an unknown field", { ...STALE, owner: "1001" }],
])("rejects a view with %s", async (_what, view) => {
  expect((await save(avery, view)).status).toBe(400);
});
