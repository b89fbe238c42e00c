import { afterEach, beforeEach, expect, test } from "vitest";
import { listAudit, type AuditEntry } from "#contract/audit.ts";
import { callback } from "#contract/auth.ts";
import { clearCache } from "#contract/system.ts";
import { sql } from "#service/db/sql.ts";
import { DatabaseError } from "#service/ports/database.ts";
import { countRows } from "#service/testing/count-rows.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { removeOldRows } from "#service/pruning.ts";
import { addressPrefix, createRefusalCounts } from "./refusal-counts.ts";

const HOUR_MS = 3_600_000;

let vodkeep: TestService;
let admin: TestClient;
beforeEach(async () => {
  vodkeep = await startTestService();
  // Entries are counted by the hour: no test may begin shortly before its end.
  vodkeep.clock.advance(HOUR_MS - (vodkeep.clock.now() % HOUR_MS));
  admin = await vodkeep.signIn(ADMIN);
});
afterEach(() => vodkeep.close());

async function send(clientAddress: string, headers: Readonly<Record<string, string>> = {}) {
  const request = new Request("http://localhost:8787/admin/uploads", { headers });
  return (await vodkeep.service.fetch(request, { clientAddress })).status;
}

function rowsOf(table: "audit" | "refusal_counts"): Promise<number> {
  return countRows(vodkeep.platform.database, { sql: table, values: [] });
}

async function refused(): Promise<readonly AuditEntry[]> {
  await vodkeep.service.flush();
  return (await admin.expect(listAudit, `${listAudit.path}?result=refused`)).items;
}

test("600 anonymous requests from many addresses add only a few rows", async () => {
  const before = await rowsOf("audit");
  const logBefore = vodkeep.log();
  for (let index = 0; index < 600; index += 1) {
    const address =
      index % 2 === 0 ? `203.0.${index % 256}.9` : `2001:db8:${index.toString(16)}::7`;
    const kinds = [
      { origin: "https://evil.example" },
      { authorization: `Bearer ${"0".repeat(64)}` },
    ];
    expect(await send(address, kinds[index % 3])).toBeGreaterThanOrEqual(401);
    if (index % 100 === 0) await vodkeep.service.flush();
  }
  const entries = await refused();
  expect(Object.fromEntries(entries.map(({ target, count }) => [target, count]))).toEqual({
    dead_token: 200,
    no_session: 200,
    other_site: 200,
  });
  expect((await rowsOf("audit")) - before).toBe(3);
  expect(await rowsOf("refusal_counts")).toBeLessThanOrEqual(8 + 4 + 4 + 3);
  expect(vodkeep.log()).toBe(logBefore);
  const [total] = await vodkeep.platform.database.all(
    sql`SELECT sum(count) AS n FROM refusal_counts`,
  );
  expect(total?.n).toBe(600);
});

test("anonymous refusals are counted by network and minute", async () => {
  for (let index = 0; index < 3; index += 1) await send(`192.0.2.${index}`);
  await send("2001:db8:1:2::3");
  vodkeep.clock.advance(60_000);
  await send("192.0.2.9");
  const [entry] = await refused();
  expect(entry).toMatchObject({
    action: "access.refuse",
    target: "no_session",
    actor: null,
    count: 5,
    address: "192.0.2.0/24 (4), 2001:db8:1::/48 (1)",
  });
  expect(await rowsOf("refusal_counts")).toBe(3);
});

test("requests of many networks do not hide where failed sign-ins come from", async () => {
  const counts = createRefusalCounts(vodkeep.platform.database, vodkeep.clock);
  for (let index = 0; index < 100; index += 1) counts.add("no_session", `203.0.${index}.1`);
  await counts.flush();
  for (let index = 0; index < 100; index += 1) counts.add("dead_token", `203.0.${index}.1`);
  for (let index = 0; index < 10; index += 1) counts.add("failed_sign_in", `198.51.${index}.1`);
  await counts.flush();
  const rows = await vodkeep.platform.database.all(sql`
    SELECT prefix FROM refusal_counts WHERE kind = 'failed_sign_in' ORDER BY prefix`);
  expect(rows).toEqual(
    Array.from({ length: 10 }, (_, index) => ({ prefix: `198.51.${index}.0/24` })),
  );
});

test("counts that could not be written are written by the next flush", async () => {
  const { database } = vodkeep.platform;
  let isDown = true;
  const counts = createRefusalCounts(
    {
      ...database,
      async batch(statements) {
        if (isDown) throw new DatabaseError("unavailable", "It does not answer");
        return await database.batch(statements);
      },
    },
    vodkeep.clock,
  );
  for (let times = 0; times < 3; times += 1) counts.add("dead_token", "192.0.2.1");
  await expect(counts.flush()).rejects.toBeInstanceOf(DatabaseError);
  isDown = false;
  counts.add("dead_token", "192.0.2.2");
  await counts.flush();
  await counts.flush();
  expect(
    await database.all(sql`SELECT prefix, count FROM refusal_counts WHERE kind = 'dead_token'`),
  ).toEqual([{ prefix: "192.0.2.0/24", count: 4 }]);
});

test("failed sign-ins and rate-limited requests are counted", async () => {
  for (let index = 0; index < 2; index += 1)
    expect(
      (await admin.call("POST", callback.path, { body: { code: "x", state: "y" } })).status,
    ).toBe(400);
  const throttled = await startTestService({ settings: { RATE_LIMIT_FACTOR: "0.01" } });
  try {
    for (let index = 0; index < 5; index += 1)
      await throttled.service.fetch(new Request("http://localhost:8787/admin/uploads"), {
        clientAddress: "192.0.2.1",
      });
    await throttled.service.flush();
    expect(
      await throttled.platform.database.all(
        sql`SELECT count FROM audit WHERE target = 'rate_limited'`,
      ),
    ).toEqual([{ count: 3 }]);
  } finally {
    await throttled.close();
  }
  expect(await refused()).toMatchObject([{ target: "failed_sign_in", count: 2 }]);
});

test("repeated refusals of a user's call add one entry per hour across all sessions", async () => {
  const { id } = await vodkeep.twitch.control.addAccount();
  const sessions: TestClient[] = [];
  for (let index = 0; index < 10; index += 1) sessions.push(await vodkeep.signInWith(id, []));
  for (const client of sessions)
    for (let times = 0; times < 5; times += 1)
      expect((await client.call("POST", clearCache.path)).status).toBe(403);
  const [entry, ...others] = await refused();
  expect(others).toEqual([]);
  expect(entry).toMatchObject({ actor: { userId: id }, count: 50, address: "127.0.0.1" });
  expect(entry?.lastAt).not.toBeNull();
  vodkeep.clock.advance(3_600_000);
  admin = await vodkeep.signIn(ADMIN);
  await (await vodkeep.signInWith(id, [])).call("POST", clearCache.path);
  expect(await refused()).toHaveLength(2);
});

test("old addresses are removed while their entries are kept", async () => {
  await admin.expect(clearCache);
  await send("192.0.2.1");
  const recorded = await admin.expect(listAudit);
  expect(recorded.items.map(({ action, address }) => [action, address])).toEqual([
    ["cache.clear", "127.0.0.1"],
    ["session.open", "127.0.0.1"],
  ]);
  await vodkeep.service.flush();
  const { database, clock } = vodkeep.platform;
  await database.batch(removeOldRows(clock.now() + 31 * 86_400_000));
  const rows = await database.all(sql`SELECT address FROM audit`);
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.filter(({ address }) => address !== null)).toEqual([]);
});

test("secrets in a request path are masked in the audit log", async () => {
  const { id } = await vodkeep.twitch.control.addAccount();
  const client = await vodkeep.signInWith(id, []);
  await client.call("GET", `/admin/r2/file/vods/${"a1".repeat(32)}`);
  expect((await refused())[0]?.target).toBe("GET /admin/r2/file/vods/[masked]");
});

test.each([
  ["192.0.2.77", "192.0.2.0/24"],
  ["::ffff:192.0.2.77", "192.0.2.0/24"],
  ["2001:db8:1:2:3::4", "2001:db8:1::/48"],
  ["::1", "0:0:0::/48"],
  ["fe80::1%eth0", "fe80:0:0::/48"],
  ["unknown", "unknown"],
])("%s is counted as %s", (address, prefix) => {
  expect(addressPrefix(address)).toBe(prefix);
});
