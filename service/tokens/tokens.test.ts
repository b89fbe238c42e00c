import { createHash } from "node:crypto";
import { afterAll, beforeEach, expect, test } from "vitest";
import * as audit from "#contract/audit.ts";
import * as auth from "#contract/auth.ts";
import { addChannels, updateChannelDefaults } from "#contract/channels.ts";
import type { Permission } from "#contract/permissions.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { getFile } from "#contract/files.ts";
import { createToken, listTokens, revokeToken } from "#contract/tokens.ts";
import { BUILT_IN_RULE } from "#contract/channel-rules.ts";
import { cancelUpload, listUploads } from "#contract/uploads.ts";
import { uploadStream } from "#contract/upload-stream.ts";
import { banUser, setPermissions, unbanUser } from "#contract/users.ts";
import { checkExport } from "#service/audit/check-export.ts";
import { removeOldRows } from "#service/pruning.ts";
import { sql } from "#service/db/sql.ts";
import { maskSecrets } from "#service/secrets/mask-secrets.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { countRows } from "#service/testing/count-rows.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

const DAY_MS = 86_400_000;

const vodkeep = await startTestService({ starts: true });
const { database, digests } = vodkeep.platform;
afterAll(() => vodkeep.close());

let ownerId: string;
let owner: TestClient;
beforeEach(async () => {
  ownerId = (await vodkeep.twitch.control.addAccount()).id;
  owner = await vodkeep.signInWith(ownerId, PERMISSIONS);
});

type Wish = { readonly permissions?: readonly Permission[]; readonly expiresInDays?: number };

async function make({ permissions = PERMISSIONS, expiresInDays }: Wish = {}) {
  const made = await owner.expect(createToken, undefined, {
    body: { name: "script", permissions, expiresInDays: expiresInDays ?? null },
  });
  return { ...made, program: Object.assign(vodkeep.visitor(), { token: made.token }) };
}

async function statusOf(program: TestClient): Promise<number> {
  return (await program.call("GET", listUploads.path)).status;
}

async function expectRefused(program: TestClient): Promise<void> {
  const { status, error } = await program.call("GET", listUploads.path);
  expect([status, error?.message]).toEqual([401, "This API token is unknown, expired or revoked."]);
}

async function change(call: typeof banUser | typeof unbanUser | typeof setPermissions, body = {}) {
  const admin = await vodkeep.signIn(ADMIN);
  await admin.expect(call, addressOf(call, { id: ownerId }), { body });
}

test("a token works without cookie and origin rule, and its use is listed once a minute", async () => {
  const { id, program } = await make({ permissions: ["read:uploads"], expiresInDays: 30 });
  const foreign = { headers: { origin: "https://elsewhere.example" } };
  const stolen = owner.cookieOnly();
  stolen.token = program.token;
  expect((await stolen.call("GET", listUploads.path, foreign)).status).toBe(200);
  const { valid, admin } = await program.expect(auth.validate);
  expect([valid, admin?.id, admin?.permissions]).toEqual([true, ownerId, ["read:uploads"]]);
  const usedAt = async () => {
    const { tokens } = await owner.expect(listTokens);
    const listed = tokens.find((each) => each.id === id);
    expect(listed?.lastUsedAddress).toBe("127.0.0.1");
    return listed?.lastUsedAt;
  };
  const first = await usedAt();
  vodkeep.clock.advance(50_000);
  await statusOf(program);
  expect(await usedAt()).toBe(first);
  vodkeep.clock.advance(10_000);
  await statusOf(program);
  expect(await usedAt()).not.toBe(first);
});

test.each<[string, (made: Awaited<ReturnType<typeof make>>) => Promise<unknown>]>([
  ["it expires", async () => vodkeep.clock.advance(DAY_MS)],
  ["it is revoked", async ({ id }) => owner.expect(revokeToken, addressOf(revokeToken, { id }))],
  ["its owner is banned", async () => change(banUser)],
  ["its owner loses all rights", async () => change(setPermissions, { permissions: [] })],
])("a token and its stream end at once when %s, for good", async (_, end) => {
  const made = await make({ expiresInDays: 1 });
  const stream = await made.program.send("GET", uploadStream.path);
  expect([stream.status, await statusOf(made.program)]).toEqual([200, 200]);
  await end(made);
  await expectRefused(made.program);
  expect(await new Response(stream.body).text()).toContain("data:");
  const [user] = await database.all(sql`SELECT banned_at FROM users WHERE id = ${ownerId}`);
  if (user?.["banned_at"] !== null) await change(unbanUser);
  else await change(setPermissions, { permissions: ["read:uploads"] });
  await expectRefused(made.program);
});

test("a token has no more rights than its maker, and cannot pass them on through a rule", async () => {
  const narrow = await vodkeep.signInWith((await vodkeep.twitch.control.addAccount()).id, [
    "read:uploads",
  ]);
  const wide = { name: "wide", permissions: ["write:users"], expiresInDays: null };
  expect((await narrow.call("POST", createToken.path, { body: wide })).status).toBe(403);
  const { id, program } = await make({ permissions: ["read:uploads", "write:uploads"] });
  const retention = { keep: "days", days: 1 };
  const asked = [
    await program.call("PUT", updateChannelDefaults.path, {
      body: { rule: { ...BUILT_IN_RULE, retention } },
    }),
    await program.call("POST", addChannels.path, {
      body: { names: ["pixelpilot"], changes: { retention } },
    }),
  ];
  expect(asked.map(({ error }) => error?.message)).toEqual(
    Array<unknown>(2).fill("A token that sets rules needs the permission delete:uploads."),
  );
  // Others do not learn of a token without write:users.
  expect((await narrow.expect(listTokens)).tokens).toEqual([]);
  expect((await narrow.call("DELETE", addressOf(revokeToken, { id }))).status).toBe(404);
  const admin = await vodkeep.signIn(ADMIN);
  expect((await admin.expect(listTokens)).tokens.some((each) => each.id === id)).toBe(true);
  await admin.expect(revokeToken, addressOf(revokeToken, { id }));
  await expectRefused(program);
  await expectRefused(Object.assign(vodkeep.visitor(), { token: `vk_${"x".repeat(43)}` }));
});

test("entries of a token's requests name it under the seal; older seals stay valid", async () => {
  const { id, program } = await make();
  const uploadId = `of-${ownerId}`;
  await seedUpload(database, { id: uploadId, status: "pending" });
  await seedFile(vodkeep.platform, { key: `vods/1/${ownerId}/a.ts`, bytes: new Uint8Array(3) });
  const answers = [
    await program.call("POST", addressOf(cancelUpload, { id: uploadId })),
    await program.call("GET", `/admin/r2/file/vods/1/${ownerId}/a.ts?download=true`),
    await program.call("POST", createToken.path, { body: {} }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 403]);
  const query = `?actorId=${ownerId}`;
  const { items } = await owner.expect(audit.listAudit, `${audit.listAudit.path}${query}`);
  const named = (action: string) => items.find((entry) => entry.action === action)?.token;
  for (const action of ["upload.cancel", "file.download", "access.refuse"])
    expect([action, named(action)]).toEqual([action, { id, name: "script" }]);
  expect(named("token.create")).toBeNull();
  const search = `${audit.listAudit.path}${query}&search=SCRIPT`;
  const actions = (await owner.expect(audit.listAudit, search)).items.map(({ action }) => action);
  expect(actions.toSorted()).toEqual([
    "access.refuse",
    "file.download",
    "token.create",
    "upload.cancel",
  ]);
  expect((await owner.expect(audit.verifyAudit)).verified).toBe(true);
  const { text } = await owner.call("GET", `${audit.exportAudit.path}${query}`);
  const lines = text.trimEnd().split("\n");
  expect(await checkExport(lines, digests)).toMatchObject({ entries: lines.length, fault: null });
  // A file of an earlier version has no such field.
  const old = lines.map((line) => line.replace(',"token":null', ""));
  expect((await checkExport(old, digests)).fault).toBeNull();
  const forged = lines.map((line) => line.replace(/("token":".*)script/, "$1other"));
  expect((await checkExport(forged, digests)).fault).toContain("is not what was sealed");
});

test("the link that a token was given ends with it, and after 12 hours", async () => {
  const key = `vods/2/${ownerId}/a.ts`;
  await seedFile(vodkeep.platform, { key, bytes: new Uint8Array(3) });
  const revoked = await make({ permissions: ["read:uploads"] });
  const { program } = await make({ permissions: ["read:uploads"] });
  const linkFor = async (holder: TestClient) =>
    new URL((await holder.expect(getFile, `/admin/r2/file/${key}`)).downloadUrl ?? "").pathname;
  const statusAt = async (link: string) => (await vodkeep.visitor().call("GET", link)).status;
  const first = await linkFor(revoked.program);
  expect(await statusAt(first)).toBe(200);
  await owner.expect(revokeToken, addressOf(revokeToken, { id: revoked.id }));
  expect(await statusAt(first)).toBe(404);
  const second = await linkFor(program);
  expect(await statusAt(second)).toBe(200);
  vodkeep.clock.advance(DAY_MS / 2);
  expect(await statusAt(second)).toBe(404);
  expect(await statusAt(await linkFor(program))).toBe(200);
});

test("an expired token stays on the list for 30 days", async () => {
  const { id } = await make({ expiresInDays: 1 });
  const listed = () => countRows(database, sql`api_tokens WHERE id = ${id}`);
  await database.batch(removeOldRows(vodkeep.clock.now() + 30 * DAY_MS));
  expect(await listed()).toBe(1);
  await database.batch(removeOldRows(vodkeep.clock.now() + 32 * DAY_MS));
  expect(await listed()).toBe(0);
});

test("neither the database nor the log holds anything that can be used as a token", async () => {
  const { token } = await make();
  await vodkeep.visitor().call("GET", `/admin/uploads?search=${token}`);
  await vodkeep.visitor().call("GET", `/${token}`);
  const program = Object.assign(vodkeep.visitor(), { token });
  await program.call("GET", `/admin/uploads/${token}`);
  const tables = await database.all(sql`SELECT name FROM sqlite_master
    WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE '!_cf%' ESCAPE '!'`);
  const stored = [];
  for (const { name } of tables)
    stored.push(...(await database.all({ sql: `SELECT * FROM "${String(name)}"`, values: [] })));
  const text = JSON.stringify(stored) + vodkeep.log();
  expect(text).not.toContain(token.slice(3));
  const digest = createHash("sha256").update(token).digest("hex");
  expect(text).toContain(digest);
  for (const guess of [digest, `vk_${digest}`, `vk_${digest.slice(0, 43)}`]) {
    const thief = Object.assign(vodkeep.visitor(), { token: guess });
    expect(await statusOf(thief)).toBe(401);
  }
  expect(maskSecrets(`Authorization: ${token}, ?a=${token}`)).toBe(
    "Authorization: [masked], ?a=[masked]",
  );
});
