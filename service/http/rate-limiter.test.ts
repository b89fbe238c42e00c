import { expect, test } from "vitest";
import { BUILT_IN_RULE } from "#contract/channel-rules.ts";
import { previewRule } from "#contract/channel-vods.ts";
import { createToken } from "#contract/tokens.ts";
import { sql } from "#service/db/sql.ts";
import { createTestClock } from "#service/testing/test-clock.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { ApiError } from "#service/api-error.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limiter.ts";

const LIMIT = { name: "test", burst: 3, perMinute: 60 };

/** How many of `tries` simultaneous requests are admitted. */
function fitting(limiter: RateLimiter, who: string, tries: number): number {
  let taken = 0;
  try {
    for (; taken < tries; taken++) limiter.take(LIMIT, who);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "rate_limited") throw error;
  }
  return taken;
}

test("each caller may send a burst and then one request per second", () => {
  const clock = createTestClock();
  const limiter = createRateLimiter(clock, 1);
  expect(fitting(limiter, "a", 10)).toBe(3);
  expect(fitting(limiter, "b", 10)).toBe(3);
  clock.advance(2_000);
  expect(fitting(limiter, "a", 10)).toBe(2);
  clock.advance(3_600_000);
  expect(fitting(limiter, "a", 10)).toBe(3);
});

test("the factor multiplies the limits, and setting the clock back does not reset them", () => {
  const clock = createTestClock();
  const limiter = createRateLimiter(clock, 10);
  expect(fitting(limiter, "a", 100)).toBe(30);
  clock.jump(-3_600_000);
  expect(fitting(limiter, "a", 100)).toBeLessThanOrEqual(1);
});

/** A service whose limits refill by its clock's `advance` alone, however slow the machine is. */
async function startStanding(options: Parameters<typeof startTestService>[0]) {
  const vodkeep = await startTestService(options);
  vodkeep.clock.stand();
  return vodkeep;
}

test("too many sign-ins from one address are rate limited, with Retry-After", async () => {
  const vodkeep = await startStanding({ settings: { RATE_LIMIT_FACTOR: "1" } });
  const answers = [];
  for (let count = 0; count < 25; count++)
    answers.push(await vodkeep.visitor().call("GET", "/admin/auth/login"));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(20);
  const refused = answers.at(-1);
  expect(refused?.error?.code).toBe("rate_limited");
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  await vodkeep.close();
});

async function ask(client: TestClient) {
  return (await client.call("GET", "/admin/auth/validate")).status;
}

test("two administrators behind one address do not use up each other's requests", async () => {
  const vodkeep = await startStanding({ settings: { RATE_LIMIT_FACTOR: "0.1" } });
  const one = await vodkeep.signIn(ADMIN);
  vodkeep.clock.advance(300_000);
  const other = await vodkeep.signIn(ADMIN);
  let status = await ask(one);
  for (let count = 0; count < 2_000 && status === 200; count++) status = await ask(one);
  expect(status).toBe(429);
  expect(await ask(other)).toBe(200);
  await vodkeep.close();
});

const IPV4 = "203.0.113.9";

/**
 * How many of `tries` successive requests are not rate limited; `addressOf` gives their addresses.
 */
async function admitted(
  vodkeep: TestService,
  tries: number,
  addressOf: (count: number) => string,
  headers: Readonly<Record<string, string>> = {},
  [method, path]: readonly [string, string] = ["GET", "/admin/users"],
): Promise<number> {
  let count = 0;
  for (let index = 0; index < tries; index++) {
    const request = new Request(vodkeep.settings.PUBLIC_URL + path, { method, headers });
    const answer = await vodkeep.service.fetch(request, { clientAddress: addressOf(index) });
    if (answer.status !== 429) count += 1;
  }
  return count;
}

test("addresses of an IPv6 /64 share a limit, and those of a /48 share a larger one", async () => {
  const vodkeep = await startStanding({ settings: { RATE_LIMIT_FACTOR: "0.1" } });
  expect(await admitted(vodkeep, 60, (n) => `2001:db8:0:1::${n.toString(16)}`)).toBe(20);
  expect(await admitted(vodkeep, 60, () => "2001:db8:0:2::1")).toBe(20);
  expect(await admitted(vodkeep, 600, (n) => `2001:db8:7:${n.toString(16)}::1`)).toBe(320);
  await vodkeep.close();
});

test.each<readonly [string, Record<string, string>, string, string]>([
  ["another site", { origin: "https://other.example" }, "GET", "/admin/users"],
  ["a preflight", { "access-control-request-method": "GET" }, "OPTIONS", "/admin/users"],
  ["a preflight of an upload", {}, "OPTIONS", "/admin/uploads/manual"],
  ["a prefetch", { "sec-purpose": "prefetch" }, "GET", "/admin/users"],
  ["an unknown path", {}, "GET", "/admin/nothing"],
  ["a wrong method", {}, "PUT", "/admin/users"],
  ["a wrong method of a health check", {}, "POST", "/healthz"],
  ["a guessed link", {}, "GET", "/media/guess/film.mp4"],
])("%s without a session is rate limited", async (_, headers, method, path) => {
  const vodkeep = await startStanding({ settings: { RATE_LIMIT_FACTOR: "0.1" } });
  const count = await admitted(vodkeep, 60, () => IPV4, headers, [method, path]);
  expect(count).toBe(20);
  await vodkeep.close();
});

test("credentials are not looked up in the database beyond the limit", async () => {
  let lookUps = 0;
  const vodkeep = await startStanding({
    settings: { RATE_LIMIT_FACTOR: "0.1" },
    changePlatform: (platform) => ({
      ...platform,
      database: {
        ...platform.database,
        all: (statement) => {
          if (statement.sql.includes("s.cookie_hash = ")) lookUps += 1;
          return platform.database.all(statement);
        },
      },
    }),
  });
  const guess = { authorization: `Bearer ${"a".repeat(64)}` };
  await admitted(vodkeep, 100, () => IPV4, guess);
  expect(lookUps).toBe(20);
  await vodkeep.close();
});

test("the sessions of an account share a limit", async () => {
  const vodkeep = await startStanding({ settings: { RATE_LIMIT_FACTOR: "0.1" } });
  const sessions: TestClient[] = [];
  for (let count = 0; count < 4; count++) {
    sessions.push(await vodkeep.signIn(ADMIN));
    vodkeep.clock.advance(61_000);
  }
  let answered = 0;
  for (let count = 0; count < 40; count++)
    for (const session of sessions) if ((await ask(session)) === 200) answered += 1;
  expect(answered).toBe(80);
  await vodkeep.close();
});

test("the tokens of an account share a limit, and leave their owner's sessions theirs", async () => {
  const vodkeep = await startStanding({ settings: { RATE_LIMIT_FACTOR: "0.1" } });
  const owner = await vodkeep.signIn(ADMIN);
  const body = { name: "script", permissions: ["read:uploads"], expiresInDays: null };
  const programs: TestClient[] = [];
  for (let count = 0; count < 3; count++) {
    const { token } = await owner.expect(createToken, undefined, { body });
    programs.push(Object.assign(vodkeep.visitor(), { token }));
  }
  let answered = 0;
  for (let count = 0; count < 40; count++)
    for (const program of programs) if ((await ask(program)) === 200) answered += 1;
  expect(answered).toBe(80);
  expect(await ask(owner)).toBe(200);
  await vodkeep.close();
});

test.for<readonly [string, number, { readonly ids: readonly string[] }?]>([
  ["/admin/r2/browse?limit=1000&sortBy=size&search=a", 3],
  ["/admin/uploads?limit=1&page=100000", 10],
  ["/admin/r2/browse?limit=1000&page=1000000&sortBy=size&search=a", 1],
  ["/admin/notifications/events?offset=100000", 9],
  ["/admin/uploads/failed/ids", 20],
  ["/admin/r2/matching?search=a", 13],
  ["/admin/uploads/bulk-retry", 40, { ids: Array.from({ length: 100 }, (_id, n) => `u${n}`) }],
])("a costly call counts as several requests: %s", async ([path, burst, body]) => {
  const vodkeep = await startStanding({ settings: { RATE_LIMIT_FACTOR: "1" } });
  const admin = await vodkeep.signIn(ADMIN);
  let answered = 0;
  const send = () =>
    body === undefined ? admin.call("GET", path) : admin.call("POST", path, { body });
  while (answered < 100 && (await send()).status === 200) answered += 1;
  expect(answered).toBe(burst);
  await vodkeep.close();
});

test("a preview of a rule costs more where there are many VODs to rank", async () => {
  const vodkeep = await startStanding({ settings: { RATE_LIMIT_FACTOR: "1" } });
  const { database } = vodkeep.platform;
  const admin = await vodkeep.signIn(ADMIN);
  const preview = () => admin.call("POST", previewRule.path, { body: { rule: BUILT_IN_RULE } });
  const countAnswered = async () => {
    let answered = 0;
    while (answered < 100 && (await preview()).status === 200) answered += 1;
    vodkeep.clock.advance(60_000);
    return answered;
  };
  expect(await countAnswered()).toBe(10);
  await database.run(sql`INSERT INTO vods (seq, vod_id, owner_id, kind, title, recorded_at,
    first_seen_at, last_seen_at) VALUES (100000, '8', ${ADMIN}, 'archive', '', 0, 0, 0)`);
  expect(await countAnswered()).toBe(2);
  await vodkeep.close();
});

test("three console tabs with searched and sorted lists are not rate limited", async () => {
  const vodkeep = await startStanding({ settings: { RATE_LIMIT_FACTOR: "1" } });
  const admin = await vodkeep.signIn(ADMIN);
  const screens = [
    "/admin/uploads?limit=20&search=a&sortBy=startedAt",
    "/admin/users?limit=20&search=a&sortBy=displayName",
    "/admin/r2/browse?limit=25&search=a&sortBy=size",
    "/admin/r2/browse?limit=1000",
    "/admin/system/logs?limit=100&search=a",
    "/admin/audit?limit=20",
    "/admin/auth/validate",
  ];
  const tabs = [...screens, ...screens, ...screens];
  for (let count = 0; count < 10; count++) {
    const answers = await Promise.all(tabs.map((path) => admin.call("GET", path)));
    expect(answers.map(({ status }) => status)).toEqual(tabs.map(() => 200));
    vodkeep.clock.advance(10_000);
  }
  await vodkeep.close();
});

test("the OpenAPI document and the metrics are rate limited", async () => {
  const vodkeep = await startStanding({
    settings: { RATE_LIMIT_FACTOR: "0.5", METRICS_TOKEN: "a-token-for-prometheus" },
  });
  for (const [path, burst] of [
    ["/openapi.json", 10],
    ["/metrics", 30],
  ] as const) {
    let answered = 0;
    while (answered < 100 && (await vodkeep.visitor().send("GET", path)).status !== 429)
      answered += 1;
    expect(answered).toBe(burst);
  }
  expect((await vodkeep.visitor().send("GET", "/healthz")).status).toBe(200);
  await vodkeep.close();
});

test("one export or verification runs at a time, until the body is read or cancelled", async () => {
  const vodkeep = await startTestService();
  const admin = await vodkeep.signIn(ADMIN);
  const verify = async () => (await admin.call("POST", "/admin/audit/verify")).status;
  const first = await admin.send("GET", "/admin/audit/export");
  expect(first.status).toBe(200);
  expect((await admin.send("GET", "/admin/audit/export")).status).toBe(429);
  expect(await verify()).toBe(429);
  await first.body?.cancel();
  expect(await verify()).toBe(200);
  expect((await (await admin.send("GET", "/admin/audit/export")).text()).length).toBeGreaterThan(0);
  expect(await verify()).toBe(200);
  await vodkeep.close();
});
