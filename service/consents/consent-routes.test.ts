import { afterAll, beforeEach, expect, test } from "vitest";
import * as calls from "#contract/consent.ts";
import { previewSource } from "#contract/source-preview.ts";
import * as uploads from "#contract/uploads.ts";
import { sql } from "#service/db/sql.ts";
import { addressOf } from "#service/testing/call-address.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, STREAMER } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

const OTHER = "1006";
/** A VOD by STREAMER. */
const SOURCE = { type: "twitch", vodId: "2000000002" };

const vodkeep = await startTestService();
const { database } = vodkeep.platform;
const admin = await vodkeep.signIn(ADMIN);
const owner = await vodkeep.signIn(STREAMER);
const other = await vodkeep.signIn(OTHER);
afterAll(() => vodkeep.close());
beforeEach(async () => {
  await database.batch([
    sql`DELETE FROM uploads`,
    sql`DELETE FROM consents`,
    sql`DELETE FROM consent_invitations`,
    sql`DELETE FROM rights_confirmations`,
  ]);
});

async function invite(): Promise<string> {
  const { address } = await admin.expect(calls.inviteOwner, undefined, {
    body: { source: SOURCE },
  });
  expect(address).toMatch(/^http:\/\/localhost:8787\/consent\/[0-9a-f]{64}$/);
  return address.slice(-64);
}

function agree(client: TestClient, token: string, textVersion = calls.CONSENT_TEXT_VERSION) {
  return client.call("POST", addressOf(calls.agree, { token }), { body: { textVersion } });
}

function read(token: string) {
  return vodkeep.visitor().call("GET", addressOf(calls.readConsentPage, { token }));
}

async function auditTrail(): Promise<readonly unknown[]> {
  const rows = await database.all(sql`
    SELECT action, actor_id, target, after FROM audit WHERE action LIKE 'consent.%' AND result = 'done'
    ORDER BY seq DESC LIMIT 3`);
  return rows.toReversed();
}

function start(body: Record<string, unknown> = {}, client = admin) {
  return client.call("POST", uploads.startUpload.path, {
    body: { source: SOURCE, rightsConfirmed: false, ...body },
  });
}

/** The status of a start without a new confirmation. */
async function later(client: TestClient): Promise<number> {
  return (await start({ again: true }, client)).status;
}

test("an owner agrees on the page of a link, withdraws, and both are recorded", async () => {
  const token = await invite();
  expect((await read(token)).data).toMatchObject({
    channel: { twitchId: STREAMER, login: "pixelpilot" },
    invitedBy: "Avery Admin",
  });
  expect(await owner.expect(calls.readOwnConsent)).toEqual({ consent: null });
  expect((await agree(owner, token)).data).toMatchObject({
    consent: { textVersion: calls.CONSENT_TEXT_VERSION, withdrawnAt: null },
  });
  expect((await start()).status).toBe(201);
  expect((await owner.expect(calls.withdraw)).consent?.withdrawnAt).toMatch(/Z$/);
  expect(
    await database.all(sql`
      SELECT title FROM notification_events WHERE type = 'consent_changed' ORDER BY seq`),
  ).toEqual([
    { title: "PixelPilot agreed to archiving" },
    { title: "@pixelpilot withdrew consent to archiving" },
  ]);
  expect(await auditTrail()).toEqual([
    { action: "consent.invite", actor_id: ADMIN, target: STREAMER, after: null },
    {
      action: "consent.agree",
      actor_id: STREAMER,
      target: STREAMER,
      after: JSON.stringify({ textVersion: calls.CONSENT_TEXT_VERSION }),
    },
    { action: "consent.withdraw", actor_id: STREAMER, target: STREAMER, after: null },
  ]);
  expect((await start({ again: true })).error?.message).toContain("has not agreed to archiving");
  // An administrator's own word does not depend on it.
  expect((await start({ again: true, rightsConfirmed: true })).status).toBe(201);
});

test("a banned owner withdraws by proving who they are, and gets no session", async () => {
  expect((await agree(owner, await invite())).status).toBe(200);
  await database.run(sql`UPDATE users SET banned_at = 9 WHERE id = ${STREAMER}`);
  const visitor = vodkeep.visitor();
  await vodkeep.twitch.keepTime();
  const redirect = await visitor.redirectOf(STREAMER);
  const answer = await visitor.call("POST", calls.withdrawBySignIn.path, { body: redirect });
  expect(answer.status).toBe(200);
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect((await auditTrail()).at(-1)).toMatchObject({
    action: "consent.withdraw",
    actor_id: STREAMER,
  });
  const elsewhere = await vodkeep.visitor().redirectOf(STREAMER);
  expect(
    (await visitor.call("POST", calls.withdrawBySignIn.path, { body: elsewhere })).status,
  ).toBe(400);
  await database.run(sql`UPDATE users SET banned_at = NULL WHERE id = ${STREAMER}`);
});

function give(textVersion: number) {
  return owner.call("POST", calls.agreeForOwnChannel.path, { body: { textVersion } });
}

test("an owner agrees for the own channel without a link, to the current text only", async () => {
  expect((await give(calls.CONSENT_TEXT_VERSION + 1)).status).toBe(409);
  expect(await give(calls.CONSENT_TEXT_VERSION)).toMatchObject({
    data: { consent: { textVersion: calls.CONSENT_TEXT_VERSION, withdrawnAt: null } },
  });
  expect((await auditTrail()).at(-1)).toMatchObject({
    action: "consent.agree",
    actor_id: STREAMER,
    target: STREAMER,
  });
  expect((await start()).status).toBe(201);
});

test("a second agreement and a second withdrawal change nothing", async () => {
  const token = await invite();
  const first = (await agree(owner, token)).data;
  vodkeep.clock.advance(1_000);
  expect((await agree(owner, token)).data).toEqual(first);
  const withdrawn = await owner.expect(calls.withdraw);
  vodkeep.clock.advance(1_000);
  expect(await owner.expect(calls.withdraw)).toEqual(withdrawn);
  expect(await auditTrail()).toHaveLength(3);
});

test("an owner of an earlier text is asked again, and what it allowed goes on meanwhile", async () => {
  const token = await invite();
  await agree(owner, token);
  await database.run(sql`UPDATE consents SET text_version = text_version - 1`);
  expect((await start()).status).toBe(201);
  expect((await agree(owner, token)).data).toMatchObject({
    consent: { textVersion: calls.CONSENT_TEXT_VERSION, withdrawnAt: null },
  });
  expect(await auditTrail()).toHaveLength(3);
});

test("only the channel's owner can agree, to the current text", async () => {
  const token = await invite();
  expect((await agree(other, token)).status).toBe(403);
  expect((await agree(admin, token)).status).toBe(403);
  expect((await agree(vodkeep.visitor(), token)).status).toBe(401);
  expect((await agree(owner, token, calls.CONSENT_TEXT_VERSION + 1)).status).toBe(409);
  expect(await database.all(sql`SELECT 1 FROM consents`)).toEqual([]);
});

test("a guessed, replaced, revoked or expired link, or a banned person's, is refused; withdrawing needs none", async () => {
  const refused = async (token: string) => {
    expect((await read(token)).status).toBe(404);
    expect((await agree(owner, token)).status).toBe(404);
  };
  await refused("0".repeat(64));
  const replaced = await invite();
  const current = await invite();
  await refused(replaced);
  expect((await agree(owner, current)).status).toBe(200);
  await admin.expect(
    calls.revokeInvitation,
    addressOf(calls.revokeInvitation, { channelId: STREAMER }),
  );
  await refused(current);
  const expired = await invite();
  await database.run(sql`UPDATE consent_invitations SET expires_at = ${vodkeep.clock.now()}`);
  await refused(expired);
  const ofBanned = await invite();
  await database.run(sql`UPDATE consent_invitations SET created_by = ${OTHER}`);
  await database.run(sql`UPDATE users SET banned_at = 1 WHERE id = ${OTHER}`);
  await refused(ofBanned);
  await database.run(sql`UPDATE users SET banned_at = NULL WHERE id = ${OTHER}`);
  expect((await owner.expect(calls.withdraw)).consent?.withdrawnAt).toMatch(/Z$/);
});

test("neither the database nor the log holds a link's token", async () => {
  const token = await invite();
  await agree(other, token);
  await agree(owner, token);
  const stored = JSON.stringify([
    await database.all(sql`SELECT * FROM consent_invitations`),
    await database.all(sql`SELECT * FROM audit`),
    await database.all(sql`SELECT * FROM logs`),
  ]);
  expect(`${stored}${vodkeep.log()}`).not.toContain(token);
});

test("withdrawing pauses what began before, on whatever word; agreeing again continues it", async () => {
  const token = await invite();
  await agree(owner, token);
  await seedUpload(database, { id: "running", status: "processing", ownerId: STREAMER });
  await seedUpload(database, { id: "waiting", status: "pending", ownerId: STREAMER });
  await seedUpload(database, { id: "failed", status: "failed", ownerId: STREAMER });
  await database.run(sql`UPDATE uploads SET rights = 'owner_signed_in', consent_text_version = 1`);
  await seedUpload(database, { id: "confirmed", status: "processing", ownerId: STREAMER });
  await seedUpload(database, { id: "elsewhere", status: "processing", ownerId: OTHER });
  await owner.expect(calls.withdraw);
  const shown = async () =>
    await database.all(sql`SELECT id, status, phase, error_message LIKE '%has withdrawn consent%' AS paused
      FROM uploads ORDER BY id`);
  const untouched = [
    { id: "elsewhere", status: "processing", phase: null, paused: null },
    { id: "failed", status: "failed", phase: null, paused: null },
  ];
  expect(await shown()).toEqual([
    { id: "confirmed", status: "processing", phase: "waiting", paused: 1 },
    ...untouched,
    { id: "running", status: "processing", phase: "waiting", paused: 1 },
    { id: "waiting", status: "pending", phase: null, paused: 1 },
  ]);
  await agree(owner, token);
  expect(await shown()).toEqual([
    { id: "confirmed", status: "processing", phase: "waiting", paused: null },
    ...untouched,
    { id: "running", status: "processing", phase: "waiting", paused: null },
    { id: "waiting", status: "pending", phase: null, paused: null },
  ]);
});

test("a remembered confirmation holds for its administrator, until it or the consent ends", async () => {
  const remember = () =>
    start({ again: true, rightsConfirmed: true, rememberRights: { reason: "Contract 7" } });
  const confirmation = async () =>
    (await admin.expect(previewSource, undefined, { body: { source: SOURCE } })).ownConfirmation;
  await database.run(sql`UPDATE users SET permissions = '["write:uploads"]' WHERE id = ${OTHER}`);

  expect((await start({ again: true, rightsConfirmed: true })).status).toBe(201);
  expect([await later(admin), await confirmation()]).toEqual([400, null]);
  expect((await remember()).status).toBe(201);
  expect([await later(admin), await later(other)]).toEqual([201, 400]);
  expect(await confirmation()).toMatchObject({ reason: "Contract 7" });
  expect(
    await database.all(sql`SELECT after ->> 'rememberedReason' AS reason,
      after ->> 'isRightsConfirmationRemembered' AS remembered
      FROM audit WHERE action = 'upload.start' AND result = 'done' ORDER BY seq DESC LIMIT 2`),
  ).toEqual([
    { reason: null, remembered: 1 },
    { reason: "Contract 7", remembered: null },
  ]);
  const revoke = () =>
    admin.expect(
      calls.revokeConfirmation,
      addressOf(calls.revokeConfirmation, { channelId: STREAMER }),
    );
  await revoke();
  await revoke();
  expect([await later(admin), await confirmation()]).toEqual([400, null]);
  await remember();
  await agree(owner, await invite());
  await owner.expect(calls.withdraw);
  expect([await later(admin), await confirmation()]).toEqual([400, null]);
});

test("a direct URL has no owner to invite", async () => {
  const body = { source: { type: "url", url: "https://videos.example.org/a.mp4" } };
  const answer = await admin.call("POST", calls.inviteOwner.path, { body });
  expect(answer.status).toBe(400);
});
