import { afterEach, beforeEach, expect, test } from "vitest";
import {
  beginDeviceSignIn,
  finishDeviceSignIn,
  type DeviceSignIn,
} from "#contract/device-sign-in.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { createKeyring } from "#service/secrets/keyring.ts";
import { createSecretCipher } from "#service/secrets/secret-cipher.ts";
import { countRows } from "#service/testing/count-rows.ts";
import { sql } from "#service/db/sql.ts";
import type { TestAnswer, TestClient } from "#service/testing/test-client.ts";
import { startTestService, STREAMER, type TestService } from "#service/testing/test-service.ts";
import { createDeviceSignIns } from "./device-sign-ins.ts";

/** Twitch does not return to it. */
const PUBLIC_URL = "http://nas.home:8787";

let vodkeep: TestService;
let browser: TestClient;

async function start(publicUrl = PUBLIC_URL): Promise<void> {
  vodkeep = await startTestService({ settings: { PUBLIC_URL: publicUrl } });
  vodkeep.clock.stand();
  browser = vodkeep.visitor();
}

beforeEach(() => start());
afterEach(() => vodkeep.close());

/** What its user does at Twitch, in any browser. */
async function answerAtTwitch({ verificationUri }: DeviceSignIn, choice: string): Promise<void> {
  const body = new URLSearchParams(choice);
  expect((await fetch(verificationUri, { method: "POST", body })).status).toBe(200);
}

const confirm = (begun: DeviceSignIn) => answerAtTwitch(begun, `account=${STREAMER}`);

/** A second longer than Twitch asks for: the stand-in may have a clock of its own, which does not stand. */
const WAIT_MS = 6_000;

async function ask(
  { state }: DeviceSignIn,
  client = browser,
  waitMs = WAIT_MS,
): Promise<TestAnswer> {
  vodkeep.clock.advance(waitMs);
  await vodkeep.twitch.keepTime();
  return client.call("POST", finishDeviceSignIn.path, { body: { state } });
}

const INVALID = { status: 400, error: { code: "invalid_request" } };

test("a code confirmed elsewhere signs its browser in, once", async () => {
  const begun = await browser.expect(beginDeviceSignIn);
  expect(begun).toMatchObject({ intervalSec: 5, userCode: expect.stringMatching(/^\w{8}$/) });
  expect((await ask(begun)).data).toEqual({ grant: null, isTooFast: false });
  await confirm(begun);
  const answer = await ask(begun);
  expect(answer.data).toMatchObject({ grant: { admin: { twitchId: STREAMER } } });
  expect(browser.cookies.has("vodkeep_session")).toBe(true);
  expect(await ask(begun)).toMatchObject(INVALID);
  expect(await countRows(vodkeep.platform.database, sql`sessions`)).toBe(1);
});

test("a code opens for as long as Twitch says, and for half an hour at most", async () => {
  const keyring = createKeyring({ SECRET_KEY: "a key for tests, not for keeping" });
  const cipher = await createSecretCipher(keyring, systemRandom);
  const code = {
    deviceCode: "c",
    userCode: "u",
    verificationUri: "https://x.test",
    intervalSec: 5,
  };
  const codeAfter = async (expiresInSec: number, passedMs: number) => {
    const requestDeviceCode = async () => ({ ...code, expiresInSec });
    const signIns = createDeviceSignIns({ requestDeviceCode }, cipher);
    return await signIns.open((await signIns.begin("b", 0)).state, "b", passedMs);
  };
  expect(await codeAfter(60, 59_999)).toBe("c");
  expect(await codeAfter(60, 60_000)).toBeNull();
  expect(await codeAfter(86_400, 1_800_000)).toBeNull();
});

test("asked too early, Twitch's wish for a longer interval is passed on", async () => {
  const begun = await browser.expect(beginDeviceSignIn);
  await ask(begun);
  expect((await ask(begun, browser, 1_000)).data).toEqual({ grant: null, isTooFast: true });
  expect((await ask(begun, browser, 2 * WAIT_MS)).data).toEqual({ grant: null, isTooFast: false });
});

test.for<[string, (begun: DeviceSignIn) => Promise<TestAnswer>]>([
  ["another browser", (begun) => confirm(begun).then(() => ask(begun, vodkeep.visitor()))],
  [
    "another browser that began a sign-in of its own",
    async (begun) => {
      const victim = vodkeep.visitor();
      await victim.expect(beginDeviceSignIn);
      await confirm(begun);
      return ask(begun, victim);
    },
  ],
  ["a denied code", (begun) => answerAtTwitch(begun, "deny=1").then(() => ask(begun))],
  [
    "a code after half an hour",
    (begun) => confirm(begun).then(() => ask(begun, browser, 1_800_000)),
  ],
  ["a changed state", (begun) => ask({ ...begun, state: begun.state.replace(/.$/, "") })],
])("no session for %s", async ([, end]) => {
  expect(await end(await browser.expect(beginDeviceSignIn))).toMatchObject(INVALID);
  expect(await countRows(vodkeep.platform.database, sql`sessions`)).toBe(0);
});

test.for([
  ["http://localhost:8787", 404],
  ["https://vods.example.org", 404],
  ["https://192.168.1.20:8787", 200],
] as const)("at %s, a code is answered with %d", async ([publicUrl, status]) => {
  await vodkeep.close();
  await start(publicUrl);
  expect((await browser.call("POST", beginDeviceSignIn.path)).status).toBe(status);
});

test("trouble at Twitch ends nothing", async () => {
  const begun = await browser.expect(beginDeviceSignIn);
  await confirm(begun);
  await vodkeep.twitch.control.addFault({
    match: { kind: "token" },
    fault: { type: "status", status: 503 },
  });
  expect(await ask(begun)).toMatchObject({ status: 502 });
  expect((await ask(begun)).data).toMatchObject({ grant: { admin: { twitchId: STREAMER } } });
});
