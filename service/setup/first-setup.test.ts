import { afterEach, beforeEach, expect, test } from "vitest";
import { callback, validate } from "#contract/auth.ts";
import { finishDeviceSignIn } from "#contract/device-sign-in.ts";
import { addChannels } from "#contract/channels.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import {
  beginFirstDeviceSignIn,
  beginFirstSignIn,
  readSetup,
  storeTwitchApplication,
} from "#contract/setup.ts";
import { sql } from "#service/db/sql.ts";
import type { SetupHost, TwitchCredentials } from "#service/ports/setup-host.ts";
import { readSettings } from "#service/settings.ts";
import { chooseAccount, type TestAnswer, type TestClient } from "#service/testing/test-client.ts";
import {
  ADMIN,
  startTestService,
  STREAMER,
  type TestService,
} from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import type { NewFault } from "#stand-ins/twitch/faults/fault.ts";
import { allowsSetup } from "./first-setup.ts";

const CODE = "1f0c-99ab-03de-7712";
const HERE = { host: "localhost:8787" };

let vodkeep: TestService;
let browser: TestClient;
let stored: TwitchCredentials[];
let storeError: Error | null;
let isForgotten: boolean;

async function start(
  credentials: SetupHost["credentials"],
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  stored = [];
  storeError = null;
  isForgotten = false;
  let twitchIdUrl = "";
  vodkeep = await startTestService({
    settings: { ADMIN_TWITCH_IDS: "", ...settings },
    changePlatform: (platform) => ({
      ...platform,
      setup: {
        code: CODE,
        credentials,
        get twitchIdUrl() {
          return twitchIdUrl;
        },
        async storeCredentials(given) {
          if (storeError !== null) throw storeError;
          stored.push(given);
        },
        close: () => (isForgotten = true),
      },
    }),
  });
  twitchIdUrl = vodkeep.settings.TWITCH_ID_URL;
  browser = vodkeep.visitor();
}

beforeEach(() => start("stored"));
afterEach(() => vodkeep.close());

const read = (headers: Readonly<Record<string, string>> = HERE, code = CODE) =>
  browser.call("POST", readSetup.path, { body: { code }, headers });

const store = (given: Partial<TwitchCredentials> = {}): Promise<TestAnswer> =>
  browser.call("POST", storeTwitchApplication.path, {
    body: {
      code: CODE,
      clientId: vodkeep.settings.TWITCH_CLIENT_ID,
      clientSecret: vodkeep.settings.TWITCH_CLIENT_SECRET,
      ...given,
    },
    headers: HERE,
  });

async function begin(client: TestClient): Promise<string> {
  const request = { body: { code: CODE }, headers: HERE };
  return (await client.expect(beginFirstSignIn, undefined, request)).authUrl;
}

async function finish(client: TestClient, authUrl: string, account: string): Promise<TestAnswer> {
  await vodkeep.twitch.keepTime();
  return client.call("POST", callback.path, { body: await chooseAccount(authUrl, account) });
}

async function audited(action: string) {
  return await vodkeep.platform.database.all(
    sql`SELECT actor_id, target, result, reason FROM audit WHERE action = ${action} ORDER BY seq`,
  );
}

test("the first sign-in with the code becomes administrator, and the setup closes", async () => {
  expect((await read()).data).toEqual({
    credentials: "stored",
    redirectUri: "http://localhost:8787/auth/callback",
    hasTrialData: false,
  });
  const second = vodkeep.visitor();
  const late = await begin(second);
  const authUrl = await begin(browser);
  expect(await finish(browser, authUrl, ADMIN)).toMatchObject({
    data: { admin: { isAdmin: true, permissions: PERMISSIONS } },
  });
  expect(isForgotten).toBe(true);
  expect(await audited("setup.administrator")).toEqual([
    { actor_id: ADMIN, target: ADMIN, result: "done", reason: null },
  ]);
  expect((await read()).status).toBe(404);
  expect((await store()).status).toBe(404);
  expect(await finish(second, late, STREAMER)).toMatchObject({
    data: { admin: { isAdmin: false } },
  });
});

test("other sign-ins get no rights, nor does an earlier or a late one with the code", async () => {
  const other = await vodkeep.signIn(STREAMER);
  expect((await other.expect(validate)).admin).toMatchObject({ isAdmin: false });
  const earlier = await begin(browser);
  const late = await begin(browser);
  await finish(browser, earlier, ADMIN);
  vodkeep.clock.advance(11 * 60_000);
  expect((await finish(browser, late, ADMIN)).error?.message).toMatch(/has expired/);
  expect(await audited("setup.administrator")).toEqual([]);
  expect((await read()).status).toBe(200);
});

test("once a user has permissions, there is no setup", async () => {
  await vodkeep.signInWith(STREAMER, ["read:uploads"]);
  expect((await read()).status).toBe(404);
});

test.for<[string, Readonly<Record<string, string>>]>([
  ["a Host of another name", { host: "rebound.example:8787" }],
  ["no Host", { host: "" }],
  [
    "an Origin of another name",
    { ...HERE, origin: "https://rebound.example", "sec-fetch-site": "same-origin" },
  ],
  ["X-Forwarded-For", { ...HERE, "x-forwarded-for": "127.0.0.1" }],
  ["Forwarded", { ...HERE, forwarded: "for=127.0.0.1" }],
])("a request with %s finds nothing, whatever its code", async ([, headers]) => {
  expect((await read(headers)).status).toBe(404);
  expect((await read(headers, "wrong")).status).toBe(404);
});

test("a client on another machine finds nothing", async () => {
  const request = new Request(`http://localhost:8787${readSetup.path}`, {
    method: "POST",
    headers: { ...HERE, "content-type": "application/json" },
    body: JSON.stringify({ code: CODE }),
  });
  const answer = await vodkeep.service.fetch(request, { clientAddress: "192.0.2.7" });
  expect(answer.status).toBe(404);
});

test("in a home network, the service's own address opens the setup, and a code makes the administrator", async () => {
  await vodkeep.close();
  await start("stored", { HOST: "0.0.0.0", PUBLIC_URL: "http://nas.home:8787" });
  const open = (headers: Readonly<Record<string, string>>) => read({ origin: "", ...headers });
  expect((await open({ host: "other.home:8787" })).status).toBe(404);
  expect((await open({ host: "nas.home:8787", via: "1.1 proxy" })).status).toBe(404);
  const nas = { host: "nas.home:8787" };
  expect((await open(nas)).data).toMatchObject({
    redirectAdvice: expect.stringMatching(/^Twitch returns sign-ins to https/),
  });
  const request = { body: { code: CODE }, headers: nas };
  const begun = await browser.expect(beginFirstDeviceSignIn, undefined, request);
  const body = new URLSearchParams({ account: STREAMER });
  await fetch(begun.verificationUri, { method: "POST", body });
  await vodkeep.twitch.keepTime();
  const { grant } = await browser.expect(finishDeviceSignIn, undefined, {
    body: { state: begun.state },
  });
  expect(grant).toMatchObject({ admin: { isAdmin: true, permissions: PERMISSIONS } });
  expect((await read(nas)).status).toBe(404);
});

test("ten wrong codes lock the setup; each is refused and audited", async () => {
  for (let attempt = 0; attempt < 10; attempt += 1)
    expect(await read(HERE, `wrong ${attempt}`)).toMatchObject({ status: 403 });
  expect((await read()).error?.message).toMatch(/^Too many wrong codes\. Restart Vodkeep/);
  await read();
  await vodkeep.service.flush();
  const refused = { actor_id: null, target: "setup", result: "refused" };
  expect(await audited("access.refuse")).toEqual([
    ...Array.from({ length: 10 }, () => ({ ...refused, reason: "A setup code was wrong" })),
    { ...refused, reason: "The setup is locked" },
  ]);
  expect(vodkeep.log()).not.toContain(CODE);
});

test("a code may be typed in capitals and without hyphens", async () => {
  expect((await read(HERE, ` ${CODE.toUpperCase().replaceAll("-", "")} `)).status).toBe(200);
});

test("credentials that Twitch refuses are not stored; the answer has its words", async () => {
  const answer = await store({ clientSecret: "wrong" });
  expect(answer).toMatchObject({ status: 400 });
  expect(answer.error?.message).toMatch(
    /^Twitch refuses this client ID and secret \(status 403\).*invalid client secret/,
  );
  expect(stored).toEqual([]);
});

test.for<[NewFault["fault"], number, RegExp]>([
  [{ type: "status", status: 503 }, 2, /^stored$/],
  [{ type: "status", status: 503 }, 3, /answered with status 503/],
  [{ type: "html" }, 3, /returned a response without a token/],
  [
    { type: "blockPage" },
    3,
    /answered with status 403\. Twitch said: ERROR: The request could not/,
  ],
  [{ type: "stall" }, 3, /did not respond within 2\.5 s/],
])("the answer to credentials after %j %d times: %s", async ([fault, times, due]) => {
  await vodkeep.twitch.control.addFault({ match: { path: "^/oauth2/token" }, fault, times });
  const answer = await store();
  expect(answer.error?.message ?? "stored").toMatch(due);
  expect(answer.status).toBe(stored.length === 1 ? 200 : 502);
});

test("a full disk is told, and the next try stores the credentials", async () => {
  storeError = new Error("ENOSPC: no space left on device, write");
  expect(await store()).toMatchObject({
    status: 503,
    error: {
      message: "The credentials could not be stored: ENOSPC: no space left on device, write.",
    },
  });
  storeError = null;
  expect((await store()).status).toBe(200);
});

test("from the stand-in to a real application: nothing goes on with its rights and ids", async () => {
  await vodkeep.close();
  await start("none");
  expect((await read()).data).toMatchObject({ hasTrialData: false });
  const streamer = await vodkeep.signInWith(STREAMER, PERMISSIONS);
  expect((await read()).data).toMatchObject({ hasTrialData: true });
  const { database } = vodkeep.platform;
  await streamer.expect(addChannels, undefined, {
    body: { names: ["kettle_and_keys"], confirmation: { reason: "We signed a contract." } },
  });
  await database.run(
    sql`INSERT INTO consents (owner_id, text_version, agreed_at) VALUES (${STREAMER}, 1, 0)`,
  );
  await seedUpload(database, { id: "unfinished", vodId: "2000000001" });
  await seedUpload(database, { id: "stored", status: "completed" });
  const request = { body: { code: CODE }, headers: HERE };
  expect((await browser.call("POST", beginFirstSignIn.path, request)).status).toBe(409);
  expect((await store()).status).toBe(200);
  expect(stored).toHaveLength(1);
  for (const left of [
    sql`SELECT id FROM users WHERE permissions <> '[]'`,
    sql`SELECT owner_id FROM channels WHERE paused_at IS NULL`,
    sql`SELECT owner_id FROM consents WHERE withdrawn_at IS NULL`,
    sql`SELECT owner_id FROM rights_confirmations`,
    sql`SELECT id FROM uploads WHERE status NOT IN ('cancelled', 'completed')`,
  ])
    expect(await database.all(left)).toEqual([]);
  expect(await database.all(sql`SELECT id FROM uploads WHERE status = 'completed'`)).toHaveLength(
    1,
  );
  expect(await database.all(sql`SELECT 1 FROM channels`)).toHaveLength(1);
  expect(await audited("setup.twitch")).toEqual([
    { actor_id: null, target: null, result: "done", reason: null },
  ]);
});

test("credentials of the environment win, and the setup says so", async () => {
  await vodkeep.close();
  await start("environment");
  expect((await read()).data).toMatchObject({ credentials: "environment" });
  expect((await store()).error?.message).toMatch(/TWITCH_CLIENT_ID is set in the environment/);
});

test.for<[Readonly<Record<string, string>>, boolean]>([
  [{}, true],
  [{ ADMIN_TWITCH_IDS: "1" }, false],
  [{ TRUSTED_PROXIES: "127.0.0.1" }, false],
  [{ PUBLIC_URL: "https://vodkeep.example.org" }, false],
  [{ PUBLIC_URL: "https://nas.home:8787", TLS: "self-signed" }, true],
  [{ PUBLIC_URL: "http://nas.home:8787" }, true],
  [{ CONSOLE_URL: "https://vodkeep.example.org" }, false],
])("whether settings %j allow a setup: %s", ([settings, due]) => {
  expect(allowsSetup(readSettings(settings))).toBe(due);
});
