import { afterEach, expect, test } from "vitest";
import { login } from "#contract/auth.ts";
import { SIGN_IN_TOO_OLD } from "#contract/errors.ts";
import { bulkDeleteFiles, deleteFile } from "#contract/files.ts";
import { createToken } from "#contract/tokens.ts";
import { emptyTrash } from "#contract/trash.ts";
import { deleteUpload, startUpload } from "#contract/uploads.ts";
import { banUser, eraseUser, setPermissions, unbanUser } from "#contract/users.ts";
import { addressOf } from "#service/testing/call-address.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";

const MINUTE_MS = 60_000;

let vodkeep: TestService;
afterEach(() => vodkeep.close());

async function start(settings: Record<string, string>) {
  vodkeep = await startTestService({ settings });
  vodkeep.clock.stand();
  const { id } = await vodkeep.twitch.control.addAccount();
  await vodkeep.signIn(id);
  return { id, admin: await vodkeep.signIn(ADMIN) };
}

async function change(client: TestClient, id: string) {
  return await client.call(setPermissions.method, addressOf(setPermissions, { id }), {
    body: { permissions: ["read:uploads"] },
  });
}

test("an old sign-in cannot change rights, ban, delete or make tokens, but can start archives and use a token", async () => {
  const { id, admin } = await start({ REAUTHENTICATE_MINUTES: "5" });
  expect((await admin.expect(login)).authUrl).toContain("force_verify=true");
  const { token } = await admin.expect(createToken, undefined, {
    body: { name: "script", permissions: ["delete:uploads"], expiresInDays: null },
  });
  vodkeep.clock.advance(5 * MINUTE_MS - 1_000);
  expect((await change(admin, id)).status).toBe(200);
  vodkeep.clock.advance(2_000);
  for (const call of [
    setPermissions,
    banUser,
    eraseUser,
    unbanUser,
    bulkDeleteFiles,
    deleteFile,
    emptyTrash,
    deleteUpload,
    createToken,
  ]) {
    const refused = await admin.call(call.method, addressOf(call, { id }), { body: {} });
    expect([call.path, refused.status]).toEqual([call.path, 403]);
    expect(refused.error?.details).toHaveProperty(SIGN_IN_TOO_OLD);
  }
  const program = Object.assign(vodkeep.visitor(), { token });
  expect((await program.call("DELETE", addressOf(deleteUpload, { id }))).status).toBe(404);
  expect((await admin.call("POST", startUpload.path, { body: {} })).status).toBe(400);
  expect((await change(await vodkeep.signIn(ADMIN), id)).status).toBe(200);
});

test("without the setting no recent sign-in is required", async () => {
  const { id, admin } = await start({});
  expect((await admin.expect(login)).authUrl).not.toContain("force_verify");
  vodkeep.clock.advance(14 * MINUTE_MS);
  expect((await change(admin, id)).status).toBe(200);
});
