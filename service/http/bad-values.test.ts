import { afterAll, expect, test } from "vitest";
import type { AnyCall } from "#contract/call.ts";
import { browseFiles } from "#contract/files.ts";
import { CALLS } from "#contract/registry.ts";
import { listSessions } from "#contract/sessions.ts";
import { createToken } from "#contract/tokens.ts";
import { makeWebhook } from "#contract/webhooks.ts";
import { sql } from "#service/db/sql.ts";
import { countRows } from "#service/testing/count-rows.ts";
import { addressOf, nameOf } from "#service/testing/call-address.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

const vodkeep = await startTestService();
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());

/** Already encoded. Zero is omitted because an offset may be zero. */
const NO_NUMBERS = "|-1|1.5|1e3|1e309|0x10|%201|1%20|%2B1|١|2147483648|9007199254740993|NaN|null";
/** An entry's number may have as many digits as the database supports. */
const NO_POSITIONS = "|-1|1.5|1e3|0x10|%201|1%20|%2B1|١|9007199254740993|NaN|null";
const NO_BOOLEANS = "|TRUE|True|1|0|yes|null|undefined|true%20";
const NO_WORDS = "|all|__proto__|constructor|%27%20OR%201=1|name;DROP%20TABLE%20users|%C5%BF";
const NO_IDS = "|..|a/b|a%2Fb|%00|%25|%3Aid|{id}|a%20b";

const HOSTILE: Readonly<Record<string, string>> = {
  page: NO_NUMBERS,
  limit: NO_NUMBERS,
  offset: NO_NUMBERS,
  days: NO_NUMBERS,
  before: NO_POSITIONS,
  isAdmin: NO_BOOLEANS,
  isBanned: NO_BOOLEANS,
  download: NO_BOOLEANS,
  live: NO_BOOLEANS,
  status: NO_WORDS,
  sortBy: NO_WORDS,
  sortOrder: NO_WORDS,
  ifStatus: NO_WORDS,
  uploadType: NO_WORDS,
  failureClass: NO_WORDS,
  level: NO_WORDS,
  result: NO_WORDS,
  format: NO_WORDS,
  range: NO_WORDS,
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

test("the query parameters of the calls are found", () => {
  expect(cases.length).toBeGreaterThan(30);
});

test.for(cases)("$name rejects invalid values of $parameter", async ({ call, parameter }) => {
  for (const value of HOSTILE[parameter]?.split("|") ?? []) {
    const answer = await admin.call(call.method, `${addressOf(call)}?${parameter}=${value}`);
    expect([value, answer.status]).toEqual([value, 400]);
    expect(answer.error?.details).toHaveProperty(parameter);
  }
});

function outsideOf(call: AnyCall, parameter: string): readonly string[] {
  if (parameter === "page") return ["0", "1000001"];
  if (parameter === "limit") return ["0", call === browseFiles ? "1001" : "101"];
  if (parameter === "days") return ["0", "6", "91"];
  return parameter === "offset" ? ["1000001"] : [];
}

test.for(cases.filter(({ call, parameter }) => outsideOf(call, parameter).length > 0))(
  "$name rejects numbers just outside the range of $parameter",
  async ({ call, parameter }) => {
    for (const value of outsideOf(call, parameter)) {
      const answer = await admin.call(call.method, `${addressOf(call)}?${parameter}=${value}`);
      expect([value, answer.status]).toEqual([value, 400]);
      expect(answer.error?.details).toHaveProperty(parameter);
    }
  },
);

const NO_SEARCHES = ["x".repeat(201), "%00", "a%00b", "%ED%A0%80", "%C0%AF", "%E0%A4%A"];

test.for(CALLS.filter((call) => parametersOf(call).includes("search")))(
  "$path rejects searches for text that cannot be stored",
  async (call) => {
    for (const search of NO_SEARCHES) {
      const { status } = await admin.call(call.method, `${addressOf(call)}?search=${search}`);
      expect([search, status]).toEqual([search, 400]);
    }
  },
);

/** Valid bodies, so that only the id can be refused. */
const BODIES: Readonly<Record<string, unknown>> = {
  "/admin/channels/{id}": { paused: true },
  "/admin/channels/{id}/decisions": { decision: "take" },
  "/admin/users/{id}/permissions": { permissions: [] },
  "/admin/cost-alerts/thresholds/{id}": { alertsEnabled: false },
};

/** Creates one object of each kind that has ids in addresses. */
async function seedOneOfEach(): Promise<Record<string, string>> {
  const { database } = vodkeep.platform;
  await seedUpload(database, { id: "abcDEF", status: "failed", ownerId: "70007" });
  await database.run(sql`
    INSERT INTO channels (owner_id, added_at, added_by, author_id)
    VALUES ('70007', 0, ${ADMIN}, ${ADMIN})`);
  await database.run(sql`
    INSERT INTO cost_alerts (threshold_id, period, type, threshold_name, message, triggered_at)
    SELECT id, '2026-10', type, name, 'Spent', 0 FROM cost_thresholds LIMIT 1`);
  const [alert] = await database.all(sql`SELECT max(seq) AS id FROM cost_alerts`);
  const [threshold] = await database.all(sql`SELECT id FROM cost_thresholds LIMIT 1`);
  await vodkeep.signIn(ADMIN);
  const token = await admin.expect(createToken, undefined, {
    body: { name: "script", permissions: ["read:uploads"], expiresInDays: null },
  });
  const { webhook } = await admin.expect(makeWebhook, undefined, {
    body: { name: "a", format: "ntfy", url: "https://example.org/a", events: ["consent_changed"] },
  });
  const { sessions } = await admin.expect(listSessions);
  return {
    sessions: sessions.find(({ isCurrent }) => !isCurrent)?.id ?? "",
    tokens: token.id,
    webhooks: webhook.id,
    uploads: "abcDEF",
    channels: "70007",
    users: "70007",
    alerts: String(alert?.id),
    thresholds: String(threshold?.id),
  };
}

const STRANGE_IDS = "0|-1|1e3|9007199254740992|9007199254740993|null|undefined|unknown|%3Aid|%2e%2e"
  .concat(`|__proto__|constructor|${"x".repeat(64)}|${"x".repeat(300)}`)
  .split("|");

/** Other spellings of an id, and neighbouring ids. */
function twistsOf(own: string): readonly string[] {
  const spelt = `0${own}|${own}.0|%2B${own}|${own}%20|${own}%3Fx|${own}%2F|${own}%00`.split("|");
  return [...spelt, own.toUpperCase(), own.toLowerCase(), own.slice(0, -1)];
}

test("similar and unusual ids never match an existing object", async () => {
  const owns = await seedOneOfEach();
  const before = await countDone();
  for (const call of CALLS.filter((one) => one.path.includes("{id}"))) {
    const [, kind = ""] = /(\w+)\/\{id\}/.exec(call.path) ?? [];
    const own = owns[kind] ?? "";
    expect([call.path, own]).not.toEqual([call.path, ""]);
    const others = [...Object.values(owns), ...STRANGE_IDS, ...twistsOf(own)];
    for (const id of others.filter((other) => other !== own && other !== "")) {
      const body = call.method.startsWith("P") ? BODIES[call.path] : undefined;
      const { status } = await admin.call(
        call.method,
        call.path.replace("{id}", id),
        body === undefined ? {} : { body },
      );
      expect([call.path, id, status === 404 || status === 400]).toEqual([call.path, id, true]);
    }
  }
  expect(await countDone()).toBe(before);
});

function countDone(): Promise<number> {
  return countRows(vodkeep.platform.database, sql`audit WHERE result = 'done'`);
}
