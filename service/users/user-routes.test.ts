import { afterAll, beforeEach, expect, test } from "vitest";
import * as auth from "#contract/auth.ts";
import { twitchUserIdSchema } from "#contract/ids.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { userSchema, type User } from "#contract/users.ts";
import { onRightsChanged } from "#service/auth/session-events.ts";
import { recordPage } from "#service/channels/listed-vods.ts";
import { notificationEventIf } from "#service/changes/notification-event.ts";
import { sql } from "#service/db/sql.ts";
import { countRows } from "#service/testing/count-rows.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { createAppToken } from "#service/twitch/app-token.ts";
import { createTwitchApi } from "#service/twitch/twitch-api.ts";

let target: string;

const vodkeep = await startTestService();
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());
beforeEach(async () => {
  target = await newcomerId();
});

async function newcomerId(): Promise<string> {
  return (await vodkeep.twitch.control.addAccount()).id;
}

function setPermissions(client: TestClient, id: string, body: unknown) {
  return client.call("PUT", `/admin/users/${id}/permissions`, { body });
}

function ban(client: TestClient, id: string, body?: unknown) {
  return client.call("POST", `/admin/users/${id}/ban`, body === undefined ? {} : { body });
}

function unban(client: TestClient, id: string) {
  return client.call("POST", `/admin/users/${id}/unban`);
}

async function userOf(id: string): Promise<User> {
  const answer = await admin.call("GET", `/admin/users/${id}`);
  return userSchema.parse(answer.data);
}

function count(table: "audit" | "notification_events", where: string, id: string) {
  return countRows(vodkeep.platform.database, { sql: `${table} WHERE ${where}`, values: [id] });
}

test("returns permissions in contract order, with one audit entry and one notification", async () => {
  await vodkeep.signIn(target);
  const { version } = await userOf(target);
  const given = { permissions: ["read:system", "read:uploads"], version };
  const answer = await setPermissions(admin, target, given);
  expect(answer.status).toBe(200);
  expect(answer.data).toMatchObject({
    permissions: ["read:uploads", "read:system"],
    isAdmin: true,
    version: version + 1,
  });
  // Repeating it changes nothing: no row, no version.
  const again = await setPermissions(admin, target, { permissions: given.permissions });
  expect(again.data).toMatchObject({ version: version + 1 });
  expect(await count("audit", "action = 'user.permissions' AND target = ?", target)).toBe(1);
  expect(
    await count("notification_events", "type = 'administrator_changed' AND subject = ?", target),
  ).toBe(1);
  const authors = await vodkeep.platform.database.all(sql`
    SELECT author_id FROM notification_events WHERE subject = ${target}`);
  expect(authors).toEqual([{ author_id: ADMIN }]);
  const stale = await setPermissions(admin, target, { permissions: [], version });
  expect(stale.error?.code).toBe("conflict");
  expect((await userOf(target)).isAdmin).toBe(true);
});

test("users cannot change themselves, configured administrators or users with more permissions", async () => {
  const lesser = await vodkeep.signInWith(target, ["read:users", "write:users"]);
  const other = await newcomerId();
  await vodkeep.signInWith(other, ["read:system"]);
  const attempts = [
    setPermissions(lesser, target, { permissions: [] }),
    setPermissions(admin, ADMIN, { permissions: [] }),
    setPermissions(lesser, ADMIN, { permissions: [] }),
    setPermissions(lesser, other, { permissions: [] }),
    setPermissions(lesser, other, { permissions: ["read:system", "read:users"] }),
    ban(lesser, target),
    ban(lesser, ADMIN),
    ban(admin, ADMIN),
    ban(lesser, other),
  ];
  for (const attempt of attempts) {
    const answer = await attempt;
    expect(answer.status).toBe(403);
    expect(answer.error?.code).toBe("forbidden");
  }
  const refusals = "result = 'refused' AND action LIKE 'user.%' AND actor_id = ?";
  expect(await count("audit", refusals, target)).toBe(7);
  expect((await userOf(other)).permissions).toEqual(["read:system"]);
  expect((await userOf(ADMIN)).permissions).toEqual(PERMISSIONS);
});

test("a ban ends all sessions, cancels pending uploads and leaves running ones alone", async () => {
  const client = await vodkeep.signInWith(target, ["read:uploads"]);
  const second = await vodkeep.signIn(target);
  const { streamTicket } = await client.expect(auth.streamTicket);
  const { database } = vodkeep.platform;
  for (const status of ["pending", "processing", "completed"] as const) {
    await seedUpload(database, { id: `${target}-${status}`, status });
    await database.run(
      sql`UPDATE uploads SET initiated_by = ${target} WHERE id = ${`${target}-${status}`}`,
    );
  }
  await seedUpload(database, { id: `${target}-others`, status: "pending" });

  const answer = await ban(admin, target, { reason: "  spam <b>bold</b>  " });
  expect(answer.status).toBe(200);
  expect(answer.data).toMatchObject({
    isBanned: true,
    banReason: "spam <b>bold</b>",
    permissions: ["read:uploads"],
  });
  for (const ended of [client, second])
    expect((await ended.call("GET", "/admin/uploads")).status).toBe(401);
  const stream = await vodkeep.visitor().call("GET", `/admin/uploads/stream?token=${streamTicket}`);
  expect(stream.status).toBe(401);
  const uploads = await database.all(
    sql`SELECT id, status FROM uploads WHERE id LIKE ${`${target}-%`} ORDER BY id`,
  );
  expect(uploads.map((row) => row.status)).toEqual([
    "completed",
    "pending",
    "cancelled",
    "processing",
  ]);
  await expect(vodkeep.signIn(target)).rejects.toThrow("banned");

  // Repeating it succeeds without a second effect.
  expect((await ban(admin, target, { reason: "other" })).data).toMatchObject({
    banReason: "spam <b>bold</b>",
  });
  expect(await count("audit", "action = 'user.ban' AND target = ?", target)).toBe(1);
  expect(await count("notification_events", "type = 'user_banned' AND subject = ?", target)).toBe(
    1,
  );
  const unbanned = await admin.call("POST", `/admin/users/${target}/unban`);
  expect(unbanned.data).toMatchObject({ isBanned: false, permissions: ["read:uploads"] });
  expect((await client.call("GET", "/admin/uploads")).status).toBe(401);
  const returned = await vodkeep.signIn(target);
  expect((await returned.call("GET", "/admin/uploads")).status).toBe(200);
});

test("a start request in progress when its user is banned creates no upload", async () => {
  const slow = await startTestService({
    changePlatform: (platform) => ({
      ...platform,
      // While Twitch is asked about the VOD, an administrator bans the requesting user.
      async fetch(url, init) {
        if (isArmed && url.includes("/videos")) await ban(slowAdmin, starterId);
        return await platform.fetch(url, init);
      },
    }),
  });
  let isArmed = false;
  const slowAdmin = await slow.signIn(ADMIN);
  const { id: starterId } = await slow.twitch.control.addAccount();
  const starter = await slow.signInWith(starterId, ["write:uploads"]);
  isArmed = true;
  const answer = await starter.call("POST", "/admin/uploads", {
    body: { source: { type: "twitch", vodId: "2000000002" }, rightsConfirmed: true },
  });
  expect(answer.status).toBe(401);
  const uploads = await slow.platform.database.all(sql`SELECT id FROM uploads`);
  expect(uploads).toEqual([]);
  await slow.close();
});

test("permissions granted to a banned user take effect after the ban is lifted", async () => {
  const client = await vodkeep.signIn(target);
  await ban(admin, target);
  const given = await setPermissions(admin, target, { permissions: ["read:users"] });
  expect(given.data).toMatchObject({ isBanned: true, permissions: ["read:users"] });
  expect((await client.call("GET", "/admin/users")).status).toBe(401);
  await expect(vodkeep.signIn(target)).rejects.toThrow("banned");
  await unban(admin, target);
  const returned = await vodkeep.signIn(target);
  expect((await returned.call("GET", "/admin/users")).status).toBe(200);
});

test("lifting a ban follows the same rules, and does nothing if there is no ban", async () => {
  const lesser = await vodkeep.signInWith(target, ["read:users", "write:users"]);
  const other = await newcomerId();
  await vodkeep.signInWith(other, ["read:system"]);
  await ban(admin, other);
  for (const [client, id] of [
    [lesser, target],
    [lesser, ADMIN],
    [lesser, other],
    [admin, ADMIN],
  ] as const)
    expect((await unban(client, id)).status).toBe(403);
  expect((await unban(admin, "unknown")).status).toBe(404);
  expect((await userOf(other)).isBanned).toBe(true);
  expect((await unban(admin, target)).data).toMatchObject({ isBanned: false });
  const lifted = "action = 'user.unban' AND result = 'done' AND target = ?";
  expect(await count("audit", lifted, target)).toBe(0);
});

test("publishes permission changes, bans and unbans to the hub", async () => {
  const heard: string[] = [];
  const { unsubscribe } = await onRightsChanged(vodkeep.platform.hub, (id) => heard.push(id));
  await vodkeep.signIn(target);
  await setPermissions(admin, target, { permissions: ["read:users"] });
  await ban(admin, target);
  await unban(admin, target);
  await expect.poll(() => heard).toEqual([target, target, target]);
  unsubscribe();
});

test("rejects invalid permissions, ban reasons and user ids", async () => {
  await vodkeep.signIn(target);
  const bodies: readonly unknown[] = [
    {},
    [],
    { permissions: "read:users" },
    { permissions: ["read:everything"] },
    { permissions: ["Read:Users"] },
    { permissions: [" read:users"] },
    { permissions: ["read:users", "read:users"] },
    { permissions: [...PERMISSIONS, "read:users"] },
    { permissions: null },
    { permissions: [], isAdmin: true },
    { permissions: [], version: "1" },
  ];
  for (const body of bodies) expect((await setPermissions(admin, target, body)).status).toBe(400);
  for (const reason of ["", "   ", "x".repeat(501), {}, 5])
    expect((await ban(admin, target, { reason })).status).toBe(400);
  expect((await ban(admin, target, { reason: "x".repeat(500) })).status).toBe(200);
  for (const id of ["unknown", "0", "-1", "null", "9".repeat(60)]) {
    expect((await setPermissions(admin, id, { permissions: [] })).status).toBe(404);
    expect((await ban(admin, id)).status).toBe(404);
  }
  for (const id of [":id", "..%2f", "x".repeat(65), "%00"])
    expect([400, 404]).toContain((await ban(admin, id)).status);
});

test("an erasure says what it would delete, deletes it, and keeps the numeric id and a ban", async () => {
  const { database } = vodkeep.platform;
  const person = await vodkeep.signInWith(target, ["read:users", "read:system"]);
  const { displayName, login } = await userOf(target);
  await database.run(sql`INSERT INTO notification_preferences
    (user_id, email, enabled_events, updated_at) VALUES (${target}, 'me@example.org', '{}', 0)`);
  await seedUpload(database, { id: `kept-${target}`, ownerId: target });
  await ban(admin, target, { reason: `${displayName} insulted others` });
  const foreseen = await admin.call("GET", `/admin/users/${target}/erasure`);
  expect(foreseen.data).toMatchObject({ sessions: 1, contacts: 1, keptUploads: 1 });

  const erased = await admin.call("DELETE", `/admin/users/${target}`);
  expect(erased.data).toMatchObject({
    twitchId: target,
    displayName: "Erased user",
    email: null,
    profileImageUrl: null,
    permissions: [],
    isBanned: true,
    banReason: null,
    uploads: 1,
  });
  expect((await person.call("GET", "/admin/users")).status).toBe(401);
  expect((await admin.call("GET", `/admin/users/${target}/erasure`)).data).toEqual({
    sessions: 0,
    contacts: 0,
    messages: 0,
    followedChannel: null,
    hasConsent: false,
    keptUploads: 1,
    chatReplays: 0,
  });
  expect((await admin.call("GET", `/admin/users?search=${login}`)).data).toMatchObject({
    total: 0,
  });
  await admin.call("DELETE", `/admin/users/${target}`);
  expect(await count("audit", "action = 'user.erase' AND target = ?", target)).toBe(1);
  expect(await count("audit", "action = 'channel.remove' AND target = ?", target)).toBe(0);
});

test("an erasure ends following and consent, and only a decision brings the name back", async () => {
  const { context, platform, twitch } = vodkeep;
  const { login, displayName } = await twitch.control.addAccount();
  const follow = () =>
    admin.call("POST", "/admin/channels", {
      body: { names: [login], confirmation: { reason: "It is mine" } },
    });
  await follow();
  const [{ id } = { id: "" }] = await platform.database.all(
    sql`SELECT id FROM users WHERE login = ${login}`,
  );
  const ownerId = twitchUserIdSchema.parse(id);
  await platform.database.run(sql`INSERT INTO consents (owner_id, text_version, agreed_at)
    VALUES (${ownerId}, 1, 0)`);
  await twitch.control.addVod({ ownerId, segmentCount: 1 });
  const agreed = {
    type: "consent_changed",
    subject: ownerId,
    title: `${displayName} (@${login}) agreed to archiving`,
    body: "",
    link: "/",
  } as const;
  await platform.database.run(notificationEventIf(agreed, platform.clock.now(), sql`TRUE`));
  const foreseen = await admin.call("GET", `/admin/users/${ownerId}/erasure`);
  expect(foreseen.data).toMatchObject({ followedChannel: displayName, hasConsent: true });

  await admin.call("DELETE", `/admin/users/${ownerId}`);
  expect(await tablesWith([displayName, login])).toEqual([]);
  expect(await countRows(platform.database, sql`channels WHERE owner_id = ${ownerId}`)).toBe(0);
  const inForce = sql`consents WHERE owner_id = ${ownerId} AND withdrawn_at IS NULL`;
  expect(await countRows(platform.database, inForce)).toBe(0);
  expect(await count("audit", "action = 'channel.remove' AND target = ?", ownerId)).toBe(1);

  // A list that was asked for before the erasure.
  const api = createTwitchApi(context, createAppToken(context));
  const { items } = await api.videosOf(ownerId, null);
  await recordPage(
    (page) => platform.database.batch(page),
    { owner_id: ownerId, stream_id: null },
    items,
    0,
  );
  expect(await userOf(ownerId)).toMatchObject({ displayName: "Erased user" });
  await follow();
  expect(await userOf(ownerId)).toMatchObject({ login, displayName });
});

/** Tables in which a text stands anywhere. */
async function tablesWith(texts: readonly string[]): Promise<string[]> {
  const { database } = vodkeep.platform;
  const tables = await database.all(sql`SELECT name FROM sqlite_schema WHERE type = 'table'
    AND name NOT LIKE '!_cf%' ESCAPE '!' AND name NOT LIKE '%!_search%' ESCAPE '!'`);
  const found: string[] = [];
  for (const { name } of tables) {
    // oxlint-disable-next-line no-await-in-loop -- One after another is enough.
    const rows = await database.all({ sql: `SELECT * FROM "${String(name)}"`, values: [] });
    if (texts.some((text) => JSON.stringify(rows).includes(text))) found.push(String(name));
  }
  return found;
}

test("nobody erases themselves, configured administrators or users with more permissions", async () => {
  const lesser = await vodkeep.signInWith(target, ["read:users", "write:users"]);
  const other = await newcomerId();
  await vodkeep.signInWith(other, ["read:system"]);
  for (const id of [target, ADMIN, other])
    expect((await lesser.call("DELETE", `/admin/users/${id}`)).status).toBe(403);
  expect((await admin.call("DELETE", `/admin/users/${ADMIN}`)).status).toBe(403);
});
