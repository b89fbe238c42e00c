import { afterAll, beforeAll, expect, test } from "vitest";
import type { AnyCall } from "#contract/call.ts";
import { CALLS } from "#contract/registry.ts";
import { addressOf, nameOf } from "#service/testing/call-address.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";

let vodkeep: TestService;
let admin: TestClient;
beforeAll(async () => {
  vodkeep = await startTestService();
  admin = await vodkeep.signIn(ADMIN);
});
afterAll(() => vodkeep.close());

/** Already encoded. Zero is left out: an offset may be zero. */
const NO_NUMBERS = "|-1|1.5|1e3|1e309|0x10|%201|1%20|%2B1|١|2147483648|9007199254740993|NaN|null";
const NO_BOOLEANS = "|TRUE|True|1|0|yes|null|undefined|true%20";
const NO_WORDS = "|all|__proto__|constructor|%27%20OR%201=1|name;DROP%20TABLE%20users|%C5%BF";
const NO_IDS = "|..|a/b|a%2Fb|%00|%25|%3Aid|{id}|a%20b";

const HOSTILE: Readonly<Record<string, string>> = {
  page: NO_NUMBERS,
  limit: NO_NUMBERS,
  offset: NO_NUMBERS,
  days: NO_NUMBERS,
  isAdmin: NO_BOOLEANS,
  isBanned: NO_BOOLEANS,
  download: NO_BOOLEANS,
  live: NO_BOOLEANS,
  status: NO_WORDS,
  sortBy: NO_WORDS,
  sortOrder: NO_WORDS,
  uploadType: NO_WORDS,
  failureClass: NO_WORDS,
  level: NO_WORDS,
  result: NO_WORDS,
  format: NO_WORDS,
  userId: NO_IDS,
  actorId: NO_IDS,
};

function parametersOf(call: AnyCall): readonly string[] {
  const { query } = call;
  if (query === undefined || !("shape" in query)) return [];
  return Object.keys(query.shape ?? {});
}

const cases = CALLS.flatMap((call) =>
  parametersOf(call)
    .filter((parameter) => parameter in HOSTILE)
    .map((parameter) => ({ name: nameOf(call), call, parameter })),
);

test("the registry's parameters are found", () => {
  expect(cases.length).toBeGreaterThan(30);
});

test.for(cases)("$name refuses values that are no $parameter", async ({ call, parameter }) => {
  for (const value of HOSTILE[parameter]?.split("|") ?? []) {
    const answer = await admin.call(call.method, `${addressOf(call)}?${parameter}=${value}`);
    expect([value, answer.status]).toEqual([value, 400]);
    expect(answer.error?.details).toHaveProperty(parameter);
  }
});

test.for(CALLS.filter((call) => call.stream === true))(
  "$path takes one token and no other shape of it",
  async (call) => {
    const visitor = vodkeep.visitor();
    const twice = `token=${admin.token}&token=${admin.token}`;
    expect((await visitor.call("GET", `${call.path}?${twice}`)).status).toBe(400);
    expect((await admin.call("GET", `${call.path}?token[]=${admin.token}`)).status).toBe(400);
    for (const token of ["", "a", "f".repeat(64), "f".repeat(8_000)])
      expect((await visitor.call("GET", `${call.path}?token=${token}`)).status).toBe(401);
  },
);
