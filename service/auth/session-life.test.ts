import { afterAll, expect, test } from "vitest";
import { host } from "#host-under-test";
import * as auth from "#contract/auth.ts";
import { listUploads } from "#contract/uploads.ts";
import { onRightsChanged } from "#service/auth/session-events.ts";
import { sql } from "#service/db/sql.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";

const MINUTE_MS = 60_000;

const vodkeep = await startTestService();
afterAll(() => vodkeep.close());

async function isIn(client: TestClient): Promise<boolean> {
  const { status } = await client.call("GET", listUploads.path);
  expect([200, 401]).toContain(status);
  return status === 200;
}

function withToken(client: TestClient, token: string): TestClient {
  const other = client.cookieOnly();
  other.token = token;
  return other;
}

test("the bearer token alone expires after 15 minutes; with the cookie the session continues", async () => {
  const client = await vodkeep.signIn(ADMIN);
  vodkeep.clock.advance(14 * MINUTE_MS);
  expect(await isIn(client.bearerOnly())).toBe(true);
  vodkeep.clock.advance(2 * MINUTE_MS);
  expect(await isIn(client.bearerOnly())).toBe(false);
  expect(await isIn(client)).toBe(true);
  const { token } = await client.expect(auth.refresh);
  client.token = token;
  expect(await isIn(client.bearerOnly())).toBe(true);
});

test("a session expires after an hour without use", async () => {
  const client = await vodkeep.signIn(ADMIN);
  vodkeep.clock.advance(59 * MINUTE_MS);
  expect(await isIn(client.cookieOnly())).toBe(true);
  vodkeep.clock.advance(59 * MINUTE_MS);
  expect(await isIn(client.cookieOnly())).toBe(true);
  vodkeep.clock.advance(61 * MINUTE_MS);
  expect(await isIn(client.cookieOnly())).toBe(false);
});

test.for([1, 2, 5])(
  "reusing a bearer token from %i rotations ago without the cookie ends the whole session",
  async (rotations) => {
    const client = await vodkeep.signIn(ADMIN);
    const stolen = client.bearerOnly();
    for (let count = 0; count < rotations; count += 1) {
      vodkeep.clock.advance(14 * MINUTE_MS);
      client.token = (await client.expect(auth.refresh)).token;
    }
    expect(await isIn(client)).toBe(true);
    expect(await isIn(stolen)).toBe(false);
    expect(await isIn(client)).toBe(false);
    expect(await isIn(client.cookieOnly())).toBe(false);
  },
);

test("repeated reuse of a replaced bearer token revokes the session and notifies once", async () => {
  const { hub, database } = vodkeep.platform;
  const client = await vodkeep.signIn(ADMIN);
  const stolen = client.bearerOnly();
  await client.expect(auth.refresh);
  const revocations = sql`SELECT 1 FROM audit WHERE action = 'session.revoke'`;
  const before = (await database.all(revocations)).length;
  const heard: string[] = [];
  const { unsubscribe } = await onRightsChanged(hub, (id) => heard.push(id));
  await Promise.all([isIn(stolen), isIn(stolen)]);
  expect(await isIn(stolen)).toBe(false);
  await expect.poll(() => heard).toEqual([ADMIN]);
  expect(await database.all(revocations)).toHaveLength(before + 1);
  unsubscribe();
});

test("a replaced bearer token with the cookie is accepted only briefly after a refresh", async () => {
  const client = await vodkeep.signIn(ADMIN);
  const late = withToken(client, client.token ?? "");
  client.token = (await client.expect(auth.refresh)).token;
  expect(await isIn(late)).toBe(true);
  vodkeep.clock.advance(11_000);
  expect(await isIn(late)).toBe(false);
  expect(await isIn(client)).toBe(true);
});

test("a browser that missed a refresh response can refresh again with its cookie", async () => {
  const client = await vodkeep.signIn(ADMIN);
  await client.cookieOnly().expect(auth.refresh);
  vodkeep.clock.advance(60_000);
  expect(await isIn(client)).toBe(false);
  client.token = (await client.cookieOnly().expect(auth.refresh)).token;
  expect(await isIn(client)).toBe(true);
});

test.for<[string, (client: TestClient) => unknown, string | undefined]>([
  ["signed out", (client) => client.expect(auth.logout), undefined],
  ["unused", () => vodkeep.clock.advance(61 * MINUTE_MS), "Your session has expired."],
  [
    "one of too many",
    async () => {
      for (let count = 0; count < 20; count += 1) await vodkeep.signIn(ADMIN);
    },
    "You signed in elsewhere. That ended this session, your oldest of more than 20.",
  ],
])("only the cookie of a session that was %s learns why it ended", async ([, end, ended]) => {
  const client = await vodkeep.signIn(ADMIN);
  const cookie = client.cookieOnly();
  await end(client);
  // Notices that it has expired.
  await isIn(cookie);
  const answer = { valid: false, admin: null };
  expect(await client.bearerOnly().expect(auth.validate)).toEqual(answer);
  expect(await vodkeep.visitor().expect(auth.validate)).toEqual(answer);
  const told = ended === undefined ? answer : { ...answer, ended };
  expect(await cookie.expect(auth.validate)).toEqual(told);
});

test("concurrent refreshes return the same bearer token and keep the session", async () => {
  let readings = 0;
  const ticking = await startTestService({
    // Gives every read of the clock a different millisecond.
    changePlatform: (platform) => ({
      ...platform,
      clock: { ...platform.clock, now: () => platform.clock.now() + (readings += 1) },
    }),
  });
  const client = await ticking.signIn(ADMIN);
  const grants = await Promise.all(
    Array.from({ length: 20 }, () => client.cookieOnly().expect(auth.refresh)),
  );
  const tokens = new Set(grants.map((grant) => grant.token));
  expect(tokens.size).toBe(1);
  for (const token of tokens) expect(await isIn(withToken(client, token).bearerOnly())).toBe(true);
  await ticking.close();
});

test("consecutive refreshes return different bearer tokens, even within a millisecond", async () => {
  const standing = await startTestService({
    changePlatform: (platform) => {
      const nowMs = platform.clock.now();
      return { ...platform, clock: { ...platform.clock, now: () => nowMs } };
    },
  });
  const client = await standing.signIn(ADMIN);
  const first = client.token;
  client.token = (await client.expect(auth.refresh)).token;
  const second = client.token;
  client.token = (await client.expect(auth.refresh)).token;
  expect(new Set([first, second, client.token]).size).toBe(3);
  expect(await isIn(client.bearerOnly())).toBe(true);
  await standing.close();
});

test("logging out is final, can be repeated, and revokes the Twitch token once", async () => {
  const client = await vodkeep.signIn(ADMIN);
  const copies = [client.bearerOnly(), client.cookieOnly(), withToken(client, client.token ?? "")];
  await vodkeep.twitch.control.resetLedger();
  const answer = await client.call("POST", auth.logout.path);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("clear-site-data")).toBe('"storage"');
  expect((await client.call("POST", auth.logout.path)).status).toBe(200);
  for (const copy of copies) expect(await isIn(copy)).toBe(false);
  const requests = await vodkeep.twitch.control.requests();
  const revocations = requests.filter(({ path }) => path.startsWith("/oauth2/revoke"));
  expect(revocations).toHaveLength(1);
});

test("logging out works while Twitch is down", async () => {
  const client = await vodkeep.signIn(ADMIN);
  await vodkeep.twitch.control.addFault({
    match: { path: "^/oauth2/revoke" },
    fault: { type: "status", status: 500 },
    times: "forever",
  });
  expect((await client.call("POST", auth.logout.path)).status).toBe(200);
  await vodkeep.twitch.control.clearFaults();
  expect(await isIn(client)).toBe(false);
});

test("an expired session stays expired if the clock jumps back", async () => {
  const client = await vodkeep.signIn(ADMIN);
  vodkeep.clock.jump(61 * MINUTE_MS);
  expect(await isIn(client)).toBe(false);
  vodkeep.clock.jump(-61 * MINUTE_MS);
  expect(await isIn(client)).toBe(false);
});

test("a session reports lost permissions; after a ban it cannot be refreshed or validated", async () => {
  const { database } = vodkeep.platform;
  const { id } = await vodkeep.twitch.control.addAccount();
  const client = await vodkeep.signInWith(id, ["read:uploads"]);
  await database.run(sql`UPDATE users SET permissions = '[]' WHERE id = ${id}`);
  expect((await client.expect(auth.validate)).admin).toMatchObject({ isAdmin: false });
  const renewed = await client.expect(auth.refresh);
  expect(renewed.admin).toMatchObject({ isAdmin: false, permissions: [] });
  client.token = renewed.token;
  await database.run(sql`UPDATE users SET banned_at = 1 WHERE id = ${id}`);
  expect((await client.call("POST", auth.refresh.path)).status).toBe(401);
  expect(await client.expect(auth.validate)).toEqual({ valid: false, admin: null });
  expect((await client.call("POST", auth.logout.path)).status).toBe(200);
});

test("after twelve hours of use neither the session nor its last stream ticket is accepted", async () => {
  const client = await vodkeep.signIn(ADMIN);
  const endsAtMs = vodkeep.clock.now() + 12 * 60 * MINUTE_MS;
  let ticket = "";
  for (let hours = 0; hours < 12; hours += 0.5) {
    expect((await client.cookieOnly().expect(auth.validate)).valid).toBe(true);
    vodkeep.clock.advance(29.5 * MINUTE_MS);
    const { streamTicket, tokenExpiresAt } = await client.cookieOnly().expect(auth.refresh);
    ticket = streamTicket;
    expect(Date.parse(tokenExpiresAt)).toBeLessThanOrEqual(endsAtMs);
    vodkeep.clock.advance(0.5 * MINUTE_MS);
  }
  const stream = await vodkeep.visitor().call("GET", `/admin/uploads/stream?token=${ticket}`);
  expect(stream.status).toBe(401);
  expect((await client.cookieOnly().call("POST", auth.refresh.path)).status).toBe(401);
  expect((await client.cookieOnly().expect(auth.validate)).valid).toBe(false);
});

test("a cookie and a bearer token of different sessions are rejected; signing out ends both", async () => {
  const one = await vodkeep.signIn(ADMIN);
  const other = await vodkeep.signIn(ADMIN);
  const mixed = withToken(one, other.token ?? "");
  expect(await isIn(mixed)).toBe(false);
  expect((await mixed.expect(auth.validate)).valid).toBe(false);
  expect(await isIn(withToken(one, "0".repeat(64)))).toBe(false);
  expect((await mixed.call("POST", auth.refresh.path)).status).toBe(401);
  expect([await isIn(one), await isIn(other)]).toEqual([true, true]);
  expect((await mixed.call("POST", auth.logout.path)).status).toBe(200);
  expect([await isIn(one), await isIn(other)]).toEqual([false, false]);
});

test("ten concurrent sign-outs end a session once", async () => {
  const client = await vodkeep.signIn(ADMIN);
  const copies = Array.from({ length: 10 }, () => withToken(client, client.token ?? ""));
  const { admin } = await client.expect(auth.validate);
  const closings = async () =>
    (
      await vodkeep.platform.database.all(
        sql`SELECT 1 FROM audit WHERE actor_id = ${admin?.id ?? ""} AND action = 'session.end'`,
      )
    ).length;
  const before = await closings();
  const answers = await Promise.all(copies.map((copy) => copy.call("POST", auth.logout.path)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(await closings()).toBe(before + 1);
});

test("signing out without a session succeeds and ends nothing", async () => {
  const client = await vodkeep.signIn(ADMIN);
  expect((await vodkeep.visitor().call("POST", auth.logout.path)).status).toBe(200);
  expect(await isIn(client)).toBe(true);
});

test("other tokens are rejected as session cookies, and so are two cookies of the same name", async () => {
  const client = await vodkeep.signIn(ADMIN);
  const { streamTicket } = await client.expect(auth.streamTicket);
  const name = "vodkeep_session";
  const cookie = client.cookies.get(name) ?? "";
  const visitor = vodkeep.visitor();
  const isInWith = async (cookies: string): Promise<boolean> =>
    (await visitor.call("GET", listUploads.path, { headers: { cookie: cookies } })).status === 200;
  for (const value of ["", client.token, streamTicket, cookie.toUpperCase(), `${cookie}0`, "f"])
    expect([value, await isInWith(`${name}=${value}`)]).toEqual([value, false]);
  expect(await isInWith(`${name}=${cookie}; ${name}=${"0".repeat(64)}`)).toBe(false);
  expect(await isInWith(`${name}=${"0".repeat(64)}; ${name}=${cookie}`)).toBe(false);
  expect(await isInWith(`other=1; ${name}=${cookie}`)).toBe(true);
});

test("parallel requests of different users never mix up identities", async () => {
  const accounts = await Promise.all(
    Array.from({ length: 20 }, async () => (await vodkeep.twitch.control.addAccount()).id),
  );
  const clients = await Promise.all(accounts.map((account) => vodkeep.signIn(account)));
  const requests = host.runsOf(1_000);
  const seen = await Promise.all(
    Array.from({ length: requests }, async (_, index) => {
      const { admin } = await (clients[index % 20] ?? vodkeep.visitor()).expect(auth.validate);
      return admin?.twitchId;
    }),
  );
  expect(seen).toEqual(Array.from({ length: requests }, (_, index) => accounts[index % 20]));
});
