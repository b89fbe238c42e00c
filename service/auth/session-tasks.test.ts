import { afterAll, beforeEach, expect, test } from "vitest";
import * as auth from "#contract/auth.ts";
import { sql } from "#service/db/sql.ts";
import { createKeyring } from "#service/secrets/keyring.ts";
import { createSecretCipher } from "#service/secrets/secret-cipher.ts";
import type { Settings } from "#service/settings.ts";
import { createTwitchOauth } from "#service/twitch/twitch-oauth.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, STREAMER } from "#service/testing/test-service.ts";
import { createSessionEnding } from "./session-ending.ts";
import { validateTwitchTokens } from "./session-tasks.ts";

let client: TestClient;
const vodkeep = await startTestService();
afterAll(() => vodkeep.close());
beforeEach(async () => {
  await vodkeep.twitch.control.clearFaults();
  client = await vodkeep.signIn(ADMIN);
  await vodkeep.twitch.control.resetLedger();
});

async function validate(keys: Partial<Settings> = {}): Promise<void> {
  const { platform } = vodkeep;
  const settings = { ...vodkeep.settings, ...keys };
  const context = { ...vodkeep.context, settings };
  const twitch = createTwitchOauth(platform, settings);
  const cipher = await createSecretCipher(createKeyring(settings), platform.random);
  const ending = createSessionEnding(context, twitch, cipher);
  await validateTwitchTokens(context, { twitch, cipher, ending });
}

async function validations(): Promise<number> {
  const requests = await vodkeep.twitch.control.requests();
  return requests.filter(({ path }) => path.startsWith("/oauth2/validate")).length;
}

async function isIn(): Promise<boolean> {
  return (await client.cookieOnly().expect(auth.validate)).valid;
}

test("each live token is validated once an hour", async () => {
  await validate();
  expect(await validations()).toBe(0);
  vodkeep.clock.advance(51 * 60_000);
  expect(await isIn()).toBe(true);
  await validate();
  expect(await validations()).toBe(1);
  await validate();
  expect(await validations()).toBe(1);
  await client.expect(auth.logout);
});

test("disconnecting the application at Twitch ends the session", async () => {
  vodkeep.clock.advance(51 * 60_000);
  await vodkeep.twitch.control.disconnect(ADMIN);
  expect(await isIn()).toBe(true);
  await validate();
  expect(await isIn()).toBe(false);
});

test("a session ends if Twitch reports another user for its token", async () => {
  const { database } = vodkeep.platform;
  await vodkeep.signIn(STREAMER);
  vodkeep.clock.advance(51 * 60_000);
  expect(await isIn()).toBe(true);
  await database.run(sql`UPDATE sessions SET user_id = ${STREAMER} WHERE user_id = ${ADMIN}`);
  await validate();
  expect(await isIn()).toBe(false);
});

test("an expired token is refreshed and the session continues", async () => {
  vodkeep.clock.advance(51 * 60_000);
  await vodkeep.twitch.control.expireTokens(ADMIN);
  await validate();
  expect(await isIn()).toBe(true);
  vodkeep.clock.advance(51 * 60_000);
  expect(await isIn()).toBe(true);
  await validate();
  expect(await isIn()).toBe(true);
  await client.expect(auth.logout);
});

test("a Twitch outage signs nobody out", async () => {
  vodkeep.clock.advance(51 * 60_000);
  expect(await isIn()).toBe(true);
  for (const status of [500, 503, 429]) {
    await vodkeep.twitch.control.addFault({
      match: { path: "^/oauth2/" },
      fault: { type: "status", status },
      times: "forever",
    });
    await validate();
    await vodkeep.twitch.control.clearFaults();
    expect(await isIn()).toBe(true);
  }
  await validate();
  expect(await isIn()).toBe(true);
});

test("a token that cannot be decrypted ends only its own session", async () => {
  const { database } = vodkeep.platform;
  const other = await vodkeep.signIn(STREAMER);
  vodkeep.clock.advance(51 * 60_000);
  expect(await isIn()).toBe(true);
  expect((await other.cookieOnly().expect(auth.validate)).valid).toBe(true);
  await database.run(sql`
    UPDATE sessions SET twitch_access_token = 'v1.AAAA.AAAA', twitch_validated_at = 0
    WHERE user_id = ${ADMIN} AND revoked_at IS NULL`);
  await validate();
  expect(await isIn()).toBe(false);
  expect(await validations()).toBe(1);
  await other.expect(auth.logout);
});

test("tokens stay readable after a rotation of SECRET_KEY and are re-encrypted", async () => {
  const rotated = "another key for tests, not to keep";
  vodkeep.clock.advance(51 * 60_000);
  expect(await isIn()).toBe(true);
  await validate({ SECRET_KEY: rotated, SECRET_KEY_PREVIOUS: vodkeep.settings.SECRET_KEY });
  expect(await isIn()).toBe(true);
  vodkeep.clock.advance(51 * 60_000);
  expect(await isIn()).toBe(true);
  await validate({ SECRET_KEY: rotated });
  expect(await isIn()).toBe(true);
  expect(await validations()).toBe(2);
});
