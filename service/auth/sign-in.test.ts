import { afterAll, expect, test } from "vitest";
import * as auth from "#contract/auth.ts";
import { sql } from "#service/db/sql.ts";
import { countRows } from "#service/testing/count-rows.ts";
import { type TestAnswer, type TestClient, chooseAccount } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, STREAMER } from "#service/testing/test-service.ts";

const vodkeep = await startTestService();
const { control } = vodkeep.twitch;
afterAll(() => vodkeep.close());

async function begin(client: TestClient, account = STREAMER) {
  const { authUrl } = await client.expect(auth.login);
  await vodkeep.twitch.keepTime();
  return await chooseAccount(authUrl, account);
}

function finish(client: TestClient, body: unknown): Promise<TestAnswer> {
  return client.call("POST", auth.callback.path, { body });
}

function sessionCount(): Promise<number> {
  return countRows(vodkeep.platform.database, sql`sessions`);
}

const refusedFlows: readonly [string, () => Promise<TestAnswer>][] = [
  [
    "no cookie from the browser that started it",
    async () => finish(vodkeep.visitor(), await begin(vodkeep.visitor())),
  ],
  [
    "the state of another browser",
    async () => {
      const victim = vodkeep.visitor();
      const { state } = await begin(vodkeep.visitor());
      const { code } = await begin(victim);
      return finish(victim, { code, state });
    },
  ],
  [
    "a state older than ten minutes",
    async () => {
      const client = vodkeep.visitor();
      const back = await begin(client);
      vodkeep.clock.advance(10 * 60_000 + 1);
      return finish(client, back);
    },
  ],
  [
    "a state with a modified expiry",
    async () => {
      const client = vodkeep.visitor();
      const { code, state } = await begin(client);
      const [random, expiresAt, signature] = state.split(".");
      const moved = `${random}.${Number(expiresAt) + 1}.${signature}`;
      return finish(client, { code, state: moved });
    },
  ],
  [
    "a state that was never issued",
    async () => {
      const client = vodkeep.visitor();
      const { code } = await begin(client);
      return finish(client, { code, state: "ab".repeat(32) });
    },
  ],
  [
    "the code of another sign-in",
    async () => {
      const client = vodkeep.visitor();
      const { code } = await begin(vodkeep.visitor());
      return finish(client, { code, state: (await begin(client)).state });
    },
  ],
  [
    "an error in addition to the code",
    async () => {
      const client = vodkeep.visitor();
      return finish(client, { ...(await begin(client)), error: "access_denied" });
    },
  ],
];

test.for(refusedFlows)("a sign-in is rejected with %s", async ([, flow]) => {
  const before = await sessionCount();
  const answer = await flow();
  expect(answer.status).toBe(400);
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect(await sessionCount()).toBe(before);
});

test.for(
  (["code", "state"] as const).flatMap((field) =>
    [undefined, null, "", [], ["x"], 7, {}, "x".repeat(8_192)].map((value) => ({ field, value })),
  ),
)("an invalid $field is rejected without consuming the state", async (spoilt) => {
  const client = vodkeep.visitor();
  const back = await begin(client);
  const before = await sessionCount();
  const answer = await finish(client, { ...back, [spoilt.field]: spoilt.value });
  expect(answer.status).toBe(400);
  expect(answer.error?.details).toHaveProperty(spoilt.field);
  expect(await sessionCount()).toBe(before);
  // The state was not consumed either: the original sign-in still succeeds.
  expect((await finish(client, back)).status).toBe(200);
});

/** The error of a sign-in after a change to what Twitch answers. */
async function failureAfter(change: () => Promise<unknown>): Promise<string | undefined> {
  const client = vodkeep.visitor();
  const back = await begin(client);
  const before = await sessionCount();
  await change();
  const answer = await finish(client, back);
  await control.clearFaults();
  await control.change({ identityClaims: {} });
  expect(await sessionCount()).toBe(before);
  return answer.error?.code;
}

test("a wrong clock of the server is named at sign-in", async () => {
  const client = vodkeep.visitor();
  const back = await begin(client);
  const exp = Math.floor((vodkeep.clock.now() - 10 * 60_000) / 1_000);
  await control.change({ identityClaims: { exp } });
  const askedMs = vodkeep.clock.now();
  const answer = await finish(client, back);
  const answeredMs = vodkeep.clock.now();
  await control.change({ identityClaims: {} });
  const message = answer.error?.message ?? "";
  const [, said = ""] =
    /^The clock of this server is wrong: it says (.*? GMT), /.exec(message) ?? [];
  // The text has whole seconds.
  expect(Date.parse(said)).toBeGreaterThan(askedMs - 1_000);
  expect(Date.parse(said)).toBeLessThanOrEqual(answeredMs);
  expect(message).toContain(new Date(exp * 1_000).toUTCString());
});

test.for([
  ...[400, 401, 500].map((status) => ({ status, path: "/oauth2/token" })),
  ...[401, 403, 429, 500, 503].map((status) => ({ status, path: "/helix/users" })),
])("a $status from $path is an upstream error and signs nobody in", async ({ status, path }) => {
  const match = { path: `^${path}` };
  const fault = { type: "status", status } as const;
  const fail = () => control.addFault({ match, fault, times: "forever" });
  expect(await failureAfter(fail)).toBe("upstream_error");
});

test.for([
  ["issuer", { iss: "https://id.twitch.tv.example/oauth2" }, "upstream_error"],
  ["audience", { aud: "another-application" }, "upstream_error"],
  ["subject", { sub: ADMIN }, "upstream_error"],
  ["expiry (in the past)", { exp: 1 }, "upstream_error"],
  ["expiry (not a number)", { exp: null }, "upstream_error"],
  ["nonce", { nonce: "ab".repeat(32) }, "invalid_request"],
  ["nonce (null)", { nonce: null }, "invalid_request"],
] as const)(
  "an identity token with an invalid %s signs nobody in",
  async ([, identityClaims, code]) => {
    expect(await failureAfter(() => control.change({ identityClaims }))).toBe(code);
  },
);

test.for(["", "no token", "e30.e30.e30", "e30.AAAA.e30"])(
  "an invalid identity token (%s) signs nobody in",
  async (token) => {
    const match = { path: "^/oauth2/token" };
    const replacement = `"id_token":"${token}"`;
    const fault = { type: "replace", pattern: '"id_token":"[^"]*"', replacement } as const;
    const fail = () => control.addFault({ match, fault });
    expect(await failureAfter(fail)).toBe("upstream_error");
  },
);

test("an account without email and with markup in its name can sign in, its name unchanged", async () => {
  const displayName = `<img src=x onerror="alert(1)">`;
  const { id } = await vodkeep.twitch.control.addAccount({ email: null, displayName });
  const client = await vodkeep.signIn(id);
  expect((await client.expect(auth.validate)).admin).toMatchObject({ twitchId: id, displayName });
  const rows = await vodkeep.platform.database.all(
    sql`SELECT email, display_name FROM users WHERE id = ${id}`,
  );
  expect(rows).toEqual([{ email: null, display_name: displayName }]);
});

test("a banned user gets no session, and the refusal is recorded in the audit log", async () => {
  const { database } = vodkeep.platform;
  await vodkeep.signIn(STREAMER);
  await database.run(sql`UPDATE users SET banned_at = 1 WHERE id = ${STREAMER}`);
  await database.run(sql`UPDATE sessions SET revoked_at = 1 WHERE user_id = ${STREAMER}`);
  const client = vodkeep.visitor();
  const answer = await finish(client, await begin(client));
  expect(answer.error?.code).toBe("forbidden");
  const live = sql`sessions WHERE user_id = ${STREAMER} AND revoked_at IS NULL`;
  expect(await countRows(database, live)).toBe(0);
  const refusals = await database.all(
    sql`SELECT reason FROM audit WHERE actor_id = ${STREAMER} AND result = 'refused' AND action = 'session.open'`,
  );
  expect(refusals).toHaveLength(1);
  await database.run(sql`UPDATE users SET banned_at = NULL WHERE id = ${STREAMER}`);
});

test("two tabs that sign in concurrently can both finish", async () => {
  const browser = vodkeep.visitor();
  const one = await begin(browser, ADMIN);
  const other = await begin(browser, ADMIN);
  expect((await finish(browser, one)).status).toBe(200);
  expect((await finish(browser, other)).status).toBe(200);
});

test("signing in again in the same browser ends the earlier session", async () => {
  const client = await vodkeep.signIn(ADMIN);
  const earlier = client.bearerOnly();
  expect((await finish(client, await begin(client, ADMIN))).status).toBe(200);
  expect((await earlier.expect(auth.validate)).valid).toBe(false);
  expect((await client.cookieOnly().expect(auth.validate)).valid).toBe(true);
});

test("started and failed sign-ins store no login state", async () => {
  const { database } = vodkeep.platform;
  const count = () => countRows(database, sql`single_uses WHERE kind = 'login_state'`);
  const before = await count();
  const client = vodkeep.visitor();
  const { state } = await begin(client);
  expect((await finish(client, { code: "nonsense", state })).status).toBe(502);
  expect(await count()).toBe(before);
});

test("a consent page answered twice signs in only once", async () => {
  const client = vodkeep.visitor();
  const { authUrl } = await client.expect(auth.login);
  await vodkeep.twitch.keepTime();
  const [first, second] = [
    await chooseAccount(authUrl, STREAMER),
    await chooseAccount(authUrl, STREAMER),
  ];
  expect((await finish(client, first)).status).toBe(200);
  const before = await sessionCount();
  expect((await finish(client, second)).error?.message).toContain("Please sign in again");
  expect(await sessionCount()).toBe(before);
});

test("no token, ticket or cookie is stored or logged in plain text", async () => {
  const client = await vodkeep.signIn(ADMIN);
  const { streamTicket } = await client.expect(auth.streamTicket);
  const secrets = [client.token ?? "", streamTicket, ...client.cookies.values()];
  const tables = ["sessions", "single_uses", "logs", "audit", "users"];
  const dump = await Promise.all(
    tables.map((table) =>
      vodkeep.platform.database.all({ sql: `SELECT * FROM ${table}`, values: [] }),
    ),
  );
  const text = `${JSON.stringify(dump)}${vodkeep.log()}`;
  for (const secret of secrets) expect(text.includes(secret)).toBe(false);
});

test("users without permissions are told that nobody has any, until somebody has", async () => {
  const fresh = await startTestService({ settings: { ADMIN_TWITCH_IDS: "" } });
  const told = async () => (await client.expect(auth.validate)).admin?.noAdministrator;
  const client = await fresh.signIn("1002");
  expect((await client.expect(auth.refresh)).admin.noAdministrator).toBe(true);
  expect(await told()).toBe(true);
  await fresh.signInWith("1001", ["read:users"]);
  expect(await told()).toBeUndefined();
  await fresh.close();
  const other = await vodkeep.signIn("1002");
  expect((await other.expect(auth.validate)).admin).not.toHaveProperty("noAdministrator");
});
