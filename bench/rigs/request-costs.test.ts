import { afterAll, expect, it } from "vitest";
import type { AnyCall } from "#contract/call.ts";
import { patternOf } from "#contract/call-request.ts";
import { CALLS } from "#contract/registry.ts";
import { bodyCost, requestCost } from "#service/http/request-limits.ts";
import { sql } from "#service/db/sql.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedRows } from "../../scripts/seed-rows.ts";
import { involvedCalls, plainCalls } from "../lists/list-calls.ts";
import { quantile } from "../lists/quantile.ts";
import { CALL_CASES, UNMEASURED, type CallCase } from "./call-cases.ts";

const ROWS = 100_000;

/** A tick of the kernel's accounting must not matter. */
const ROUNDS = 12;

/** Rounds of calls that change something. */
const CHANGING_ROUNDS = 4;

/** How much more CPU time the dearest call may take for its price than the usual call. */
const MAX_RATIO = 8;

/**
 * These go through all VODs or files at once. Their prices are as high as lets a person try a few rules
 * in a row, and less than their share.
 */
const MAX_RATIO_OF_ALL = 16;
const OF_ALL: ReadonlySet<string> = new Set([
  "POST /admin/channels/rule-preview",
  "PUT /admin/channels/defaults",
  "POST /admin/trash/simulate",
]);

const PATHS = [
  ...[...plainCalls(ROWS), ...involvedCalls(ROWS)].map(([, path]) => path),
  "/admin/uploads/failed/ids",
  "/admin/uploads/failed/ids?search=e",
  "/admin/r2/matching",
  "/admin/r2/matching?search=e",
  "/admin/r2/browse?limit=1000",
  "/admin/r2/browse?limit=1000&sortBy=size&search=e",
  "/admin/r2/browse?limit=1&sortBy=user&status=complete&page=50000",
  "/admin/uploads?limit=100&search=e&sortBy=size",
  "/admin/uploads?limit=1&sortBy=filename&status=completed&page=50000",
  "/admin/users?limit=100&search=a&sortBy=displayName",
  "/admin/notifications/events?limit=100",
  "/admin/system/history?range=month",
  "/admin/system/logs?search=a",
];

/** Seeding takes a minute on a quiet core, and the calls another; the other tests of the rigs share it. */
const SLOWEST_MS = 1_800_000;

/**
 * 300 channels of 333 VODs, which all follow the default rule, and 300 VODs and files each are stored,
 * half of them by a rule.
 */
const CHANNELS = [
  sql`UPDATE uploads SET by_rule = seq % 2 WHERE status = 'completed'`,
  sql`DELETE FROM vods`,
  sql`INSERT INTO channels (owner_id, added_at, added_by, author_id, next_list_at, listed_at)
    SELECT id, 0, id, id, 9e15, 0 FROM users WHERE permissions = '[]' ORDER BY seq LIMIT 300`,
  sql`INSERT INTO vods (vod_id, owner_id, kind, title, duration_sec, recorded_at, first_seen_at,
      last_seen_at, decision, reason)
    SELECT CAST(8000000000 + u.seq AS TEXT), c.owner_id, 'archive', u.title, u.duration_sec, u.created_at,
      u.created_at, u.created_at, 'leave', 'too_short'
    FROM uploads u JOIN (SELECT owner_id, row_number() OVER () - 1 AS n FROM channels) c
      ON c.n = u.seq % 300`,
];

const keyOf = (call: AnyCall) => `${call.method} ${call.path}`;

const READS = CALLS.filter(({ method }) => method === "GET");

function callOf(path: string): AnyCall {
  const { pathname } = new URL(path, "http://localhost");
  const call =
    READS.find((each) => each.path === pathname) ??
    READS.find((each) => patternOf(each).test(pathname));
  if (call === undefined) throw new Error(`No call has the path ${pathname}`);
  return call;
}

const vodkeep = await startTestService();

it("every call of the contract has a case", () => {
  const covered = new Set([
    ...PATHS.map((path) => keyOf(callOf(path))),
    ...Object.keys(CALL_CASES),
    ...Object.keys(UNMEASURED),
  ]);
  expect(CALLS.map(keyOf).filter((key) => !covered.has(key))).toEqual([]);
});

afterAll(() => vodkeep.close());

it(
  "no call takes much more CPU time for its price than the others",
  async () => {
    const counts = { uploads: ROWS, files: ROWS, users: 310 };
    await seedRows(vodkeep.platform.database, counts, vodkeep.clock.now(), () => {});
    await vodkeep.platform.database.batch(CHANNELS);
    const admin = await vodkeep.signIn(ADMIN);
    const prices: { readonly path: string; readonly cpuUsPerUnit: number }[] = [];
    const lists: readonly (readonly [AnyCall, CallCase])[] = PATHS.map((path) => [
      callOf(path),
      () => ({ path }),
    ]);
    const others = CALLS.flatMap((call): (readonly [AnyCall, CallCase])[] => {
      const request = CALL_CASES[keyOf(call)];
      return request === undefined ? [] : [[call, request]];
    });
    const [file] = await vodkeep.platform.database.all(
      sql`SELECT object_key AS key FROM files LIMIT 1`,
    );
    // Reads first: what the others change must not make them cheap.
    const inOrder = [...lists, ...others].toSorted(
      ([one], [other]) => Number(one.method !== "GET") - Number(other.method !== "GET"),
    );
    for (const [call, request] of inOrder) {
      const rounds = call.method === "GET" ? ROUNDS : CHANGING_ROUNDS;
      let path = "";
      let cost = 1;
      let spentUs = 0;
      for (let round = 0; round <= rounds; round += 1) {
        const { path: own = call.path, body } = request(round);
        path = own.replace("{file}", String(file?.["key"]));
        const before = process.threadCpuUsage();
        const answer = await admin.send(call.method, path, body === undefined ? {} : { body });
        await answer.text();
        const { user, system } = process.threadCpuUsage(before);
        expect([keyOf(call), answer.status]).not.toEqual([keyOf(call), 500]);
        cost = requestCost(call, new URL(path, "http://localhost").searchParams) + bodyCost(body);
        // The first one compiles.
        if (round > 0) spentUs += user + system;
      }
      prices.push({ path: `${call.method} ${path}`, cpuUsPerUnit: spentUs / rounds / cost });
    }
    const usualUs = quantile(
      prices.map(({ cpuUsPerUnit }) => cpuUsPerUnit).toSorted((left, right) => left - right),
      0.5,
    );
    const dear = prices.filter(
      ({ path, cpuUsPerUnit }) =>
        cpuUsPerUnit > (OF_ALL.has(path) ? MAX_RATIO_OF_ALL : MAX_RATIO) * usualUs,
    );
    expect(dear).toEqual([]);
  },
  SLOWEST_MS,
);
