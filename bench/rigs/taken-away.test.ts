import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { backUpNow, readBackups } from "#contract/backups.ts";
import { agreeForOwnChannel, CONSENT_TEXT_VERSION, withdraw } from "#contract/consent.ts";
import { createToken, revokeToken } from "#contract/tokens.ts";
import { getUpload, listUploads, startUpload } from "#contract/uploads.ts";
import { banUser, eraseUser, getUser, listUsers } from "#contract/users.ts";
import { changeWebhook, deleteWebhook, listWebhooks, makeWebhook } from "#contract/webhooks.ts";
import { runVodkeep } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { addressOf } from "#service/testing/call-address.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { killableNodeHost } from "./killable-node.ts";
import { openRigHost, type RigHost } from "./rig-host.ts";
import { untilCompleted } from "./until-completed.ts";

test("a token, a person, a consent, a name and a webhook that were taken away stay away after a restore", async () => {
  await using folder = await makeTemporaryFolder();
  const data = join(folder.path, "data");
  const rig = await openRigHost(killableNodeHost(data));
  const first = await rig.startHost();
  const admin = await rig.signIn();
  const early = await bring(rig, admin, "Zephyrine Early");
  const slow = await rig.control.addVod({
    ownerId: early.ownerId,
    segmentCount: 60,
    segmentSizeBytes: 1_000_000,
    paceBytesPerSecond: 300_000,
  });
  const running = await admin.expect(startUpload, undefined, { body: onConsent(slow.id) });
  const backup = await backUp(admin);
  const late = await bring(rig, admin, "Zephyrine Late");
  for (const people of [early, late]) await takeAway(admin, people);
  await first.stop();
  const stays = [early, late].map(({ name }) => tablesWith(data, name));

  const restored = await runVodkeep(["restore", "--from", backup, "--yes"], { DATA_DIR: data });
  expect(restored).toMatchObject({ code: 0 });
  expect(restored.stdout).toMatch(
    /^Taken away since.*: API tokens \(1\), .*bans \(2\).*webhooks \(1\), webhooks' addresses \(2\)/m,
  );
  expect(await runVodkeep(["rebuild-index"], { DATA_DIR: data })).toMatchObject({ code: 0 });
  await rig.control.resetLedger();
  await rig.startHost();
  const again = await rig.signIn();
  const fence = await rig.archive(again, { segmentCount: 2 });
  await untilCompleted(again, fence.uploadId);
  for (const people of [early, late]) await expectTakenAway(rig, again, people);
  const { moved, off, kept } = early.webhooks;
  const { webhooks } = await again.expect(listWebhooks);
  const told = webhooks.map(({ id, host, isEnabled }) => [id, { host, isEnabled }]);
  expect(Object.fromEntries(told)).toEqual({
    [moved]: { host: "second.example.com", isEnabled: true },
    [off]: { host: "first.example.com", isEnabled: false },
    [kept]: { host: "first.example.com", isEnabled: true },
  });
  expect(await rig.control.requests({ vodId: slow.id, kind: "segment" })).toEqual([]);
  const paused = await again.expect(getUpload, addressOf(getUpload, { id: running.id }));
  expect(paused.status).not.toBe("completed");
  for (const [index, { name }] of [early, late].entries())
    expect(stays[index]).toEqual(expect.arrayContaining(tablesWith(data, name)));
  await rig.close();
});

type People = Awaited<ReturnType<typeof bring>>;

/** Somebody with a token, somebody to ban, an owner who agrees, a streamer to erase, and webhooks. */
async function bring(rig: RigHost, admin: TestClient, name: string) {
  const { id: tokenId, token } = await admin.expect(createToken, undefined, {
    body: { name, permissions: ["read:uploads"], expiresInDays: null },
  });
  const program = Object.assign(admin.bearerOnly(), { token });
  expect((await program.call("GET", listUploads.path)).status).toBe(200);
  const { id: bannedId } = await rig.control.addAccount();
  await rig.signIn(bannedId);
  const { id: ownerId } = await rig.control.addAccount();
  const owner = await rig.signIn(ownerId);
  await owner.expect(agreeForOwnChannel, undefined, {
    body: { textVersion: CONSENT_TEXT_VERSION },
  });
  const vod = await rig.control.addVod({ ownerId, segmentCount: 2 });
  const { id } = await admin.expect(startUpload, undefined, { body: onConsent(vod.id) });
  await untilCompleted(admin, id);
  const { id: erasedId } = await rig.control.addAccount({ displayName: name });
  await rig.signIn(erasedId);
  const kept = await rig.archive(admin, { ownerId: erasedId, segmentCount: 2 });
  await untilCompleted(admin, kept.uploadId);
  const webhooks = {
    removed: await makeHook(admin, "removed"),
    moved: await makeHook(admin, "moved"),
    off: await makeHook(admin, "off"),
    kept: await makeHook(admin, "kept"),
  };
  return { name, tokenId, program, bannedId, ownerId, owner, erasedId, webhooks };
}

const HOOK = { name: "rig", events: ["upload_failed"] } as const;

async function makeHook(admin: TestClient, path: string): Promise<string> {
  const url = `https://first.example.com/${path}`;
  const body = { ...HOOK, format: "standard", url };
  return (await admin.expect(makeWebhook, undefined, { body })).webhook.id;
}

function onConsent(vodId: string) {
  return { source: { type: "twitch", vodId }, rightsConfirmed: false };
}

async function takeAway(
  admin: TestClient,
  { tokenId, bannedId, owner, erasedId, webhooks: { removed, moved, off } }: People,
): Promise<void> {
  await admin.expect(revokeToken, addressOf(revokeToken, { id: tokenId }));
  await admin.expect(banUser, addressOf(banUser, { id: bannedId }), { body: {} });
  await owner.expect(withdraw);
  await admin.expect(eraseUser, addressOf(eraseUser, { id: erasedId }));
  await admin.expect(deleteWebhook, addressOf(deleteWebhook, { id: removed }));
  for (const [id, change] of [
    [moved, { isEnabled: true, url: "https://second.example.com/moved" }],
    [off, { isEnabled: false }],
  ] as const)
    await admin.expect(changeWebhook, addressOf(changeWebhook, { id }), {
      body: { ...HOOK, ...change },
    });
}

async function expectTakenAway(rig: RigHost, admin: TestClient, people: People): Promise<void> {
  expect((await people.program.call("GET", listUploads.path)).status).toBe(401);
  await expect(rig.signIn(people.bannedId)).rejects.toThrow("answered 403");
  const vod = await rig.control.addVod({ ownerId: people.ownerId, segmentCount: 2 });
  const start = await admin.call("POST", startUpload.path, { body: onConsent(vod.id) });
  expect(start.error?.message).toContain("has not agreed to archiving");
  const { items } = await admin.expect(listUsers, `${listUsers.path}?search=${people.name}`);
  expect(items).toEqual([]);
  const erased = await admin.expect(getUser, addressOf(getUser, { id: people.erasedId }));
  expect(erased.displayName).toBe("Erased user");
}

/** Returns its time, by which `restore` finds it. */
async function backUp(admin: TestClient): Promise<string> {
  const { last } = await admin.expect(readBackups);
  await admin.expect(backUpNow);
  return await vi.waitFor(async () => {
    const at = (await admin.expect(readBackups)).last?.at ?? "";
    expect(["", last?.at]).not.toContain(at);
    return `${at.slice(0, 19).replaceAll(":", "-")}Z`;
  }, 180_000);
}

/** Tables of the database in which a text stands anywhere. */
function tablesWith(data: string, text: string): string[] {
  const database = new DatabaseSync(join(data, "vodkeep.db"), { readOnly: true });
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%search%'")
    .all();
  const found = tables.filter(({ name }) =>
    JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).all()).includes(text),
  );
  database.close();
  return found.map(({ name }) => String(name));
}
