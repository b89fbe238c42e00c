import { afterAll, expect, test } from "vitest";
import * as auth from "#contract/auth.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { endSession, listSessions } from "#contract/sessions.ts";
import { endUserSessions } from "#contract/users.ts";
import { onRightsChanged } from "#service/auth/session-events.ts";
import { sql } from "#service/db/sql.ts";
import { type TestClient, chooseAccount } from "#service/testing/test-client.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";

const vodkeep = await startTestService();
afterAll(() => vodkeep.close());

async function newAccount(): Promise<string> {
  return (await vodkeep.twitch.control.addAccount()).id;
}

async function isIn(client: TestClient): Promise<boolean> {
  return (await client.expect(auth.validate)).valid;
}

async function ownSessions(client: TestClient) {
  return (await client.expect(listSessions)).sessions;
}

function pathOf(id: string): string {
  return endSession.path.replace("{id}", id);
}

async function auditOf(action: string, target: string): Promise<readonly unknown[]> {
  return await vodkeep.platform.database.all(
    sql`SELECT actor_id FROM audit WHERE action = ${action} AND target = ${target}`,
  );
}

test("a user can list their own live sessions with their addresses", async () => {
  const id = await newAccount();
  const first = await vodkeep.signIn(id);
  vodkeep.clock.advance(2 * 60_000);
  const second = await vodkeep.signIn(id);
  await vodkeep.signIn(ADMIN);
  const sessions = await ownSessions(second);
  expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([true, false]);
  const opened = Date.parse(sessions[1]?.createdAt ?? "");
  expect(Date.parse(sessions[0]?.createdAt ?? "") - opened).toBeGreaterThanOrEqual(2 * 60_000);
  expect(sessions.map(({ address }) => address)).toEqual(["127.0.0.1", "127.0.0.1"]);
  await first.expect(auth.logout);
  expect(await ownSessions(second)).toHaveLength(1);
  vodkeep.clock.advance(61 * 60_000);
  expect(await ownSessions(await vodkeep.signIn(id))).toHaveLength(1);
});

test("a session stores its User-Agent header, truncated to 300 characters", async () => {
  const id = await newAccount();
  const client = vodkeep.visitor();
  const { authUrl } = await client.expect(auth.login);
  await vodkeep.twitch.keepTime();
  const body = await chooseAccount(authUrl, id);
  const headers = { "user-agent": `Mozilla/5.0 ${"x".repeat(400)}` };
  const { text } = await client.call("POST", auth.callback.path, { body, headers });
  expect(text).toContain('"token"');
  const [session] = await ownSessions(client);
  expect(session?.userAgent).toMatch(/^Mozilla\/5\.0 x{288}$/);
});

test("a user can end another session of their own, but not one of another user", async () => {
  const id = await newAccount();
  const lost = await vodkeep.signIn(id);
  const client = await vodkeep.signIn(id);
  const stranger = await vodkeep.signIn(ADMIN);
  const target = (await ownSessions(client)).find(({ isCurrent }) => !isCurrent)?.id ?? "";
  expect((await stranger.call("DELETE", pathOf(target))).status).toBe(404);
  expect(await isIn(lost)).toBe(true);
  const heard: string[] = [];
  const { unsubscribe } = await onRightsChanged(vodkeep.platform.hub, (user) => heard.push(user));
  expect((await client.call("DELETE", pathOf(target))).status).toBe(200);
  expect((await client.call("DELETE", pathOf(target))).status).toBe(200);
  await expect.poll(() => heard).toContain(id);
  unsubscribe();
  expect([await isIn(lost), await isIn(client)]).toEqual([false, true]);
  expect(await auditOf("session.end", target)).toEqual([{ actor_id: id }]);
  expect((await client.call("DELETE", pathOf("0".repeat(24)))).status).toBe(404);
});

test("an administrator can end all sessions of a user, who can then sign in again", async () => {
  const id = await newAccount();
  const clients = [await vodkeep.signIn(id), await vodkeep.signIn(id)];
  const admin = await vodkeep.signIn(ADMIN);
  const heard: string[] = [];
  const { unsubscribe } = await onRightsChanged(vodkeep.platform.hub, (user) => heard.push(user));
  const path = pathOfUser(id);
  expect((await admin.call("DELETE", path)).status).toBe(200);
  expect((await admin.call("DELETE", path)).status).toBe(200);
  for (const client of clients) expect(await isIn(client)).toBe(false);
  await expect.poll(() => heard).toContain(id);
  expect(await auditOf("session.end_all", id)).toEqual([{ actor_id: ADMIN }]);
  expect(await isIn(await vodkeep.signIn(id))).toBe(true);
  expect((await admin.call("DELETE", pathOfUser("404"))).status).toBe(404);
  unsubscribe();
});

function pathOfUser(id: string): string {
  return endUserSessions.path.replace("{id}", id);
}

test("nobody ends the sessions of a user with more permissions, or of a configured administrator", async () => {
  const lesser = await vodkeep.signInWith(await newAccount(), ["read:users", "write:users"]);
  const equalId = await newAccount();
  const equal = await vodkeep.signInWith(equalId, PERMISSIONS);
  const admin = await vodkeep.signIn(ADMIN);
  for (const [by, id] of [
    [lesser, equalId],
    [lesser, ADMIN],
    [equal, ADMIN],
  ] as const)
    expect((await by.call("DELETE", pathOfUser(id))).error?.code).toBe("forbidden");
  expect([await isIn(equal), await isIn(admin)]).toEqual([true, true]);
  expect((await admin.call("DELETE", pathOfUser(ADMIN))).status).toBe(200);
  expect(await isIn(admin)).toBe(false);
});

test("a twenty-first session ends the oldest one, with an audit entry", async () => {
  const id = await newAccount();
  const clients: TestClient[] = [];
  for (let count = 0; count < 21; count += 1) {
    clients.push(await vodkeep.signIn(id));
    vodkeep.clock.advance(1_000);
  }
  const [first, second] = clients;
  expect(first !== undefined && (await isIn(first))).toBe(false);
  expect(second !== undefined && (await isIn(second))).toBe(true);
  expect(await ownSessions(clients.at(-1) ?? vodkeep.visitor())).toHaveLength(20);
  expect(await auditOf("session.end", id)).toEqual([{ actor_id: id }]);
});
