import { afterAll, expect, it } from "vitest";
import type { AnyCall } from "#contract/call.ts";
import { patternOf } from "#contract/call-request.ts";
import { updateChannelDefaults } from "#contract/channels.ts";
import { CALLS } from "#contract/registry.ts";
import { bodyCost, rankingCost, requestCost } from "#service/http/request-limits.ts";
import { sql } from "#service/db/sql.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedRows } from "../../scripts/seed-rows.ts";
import { involvedCalls, plainCalls } from "../lists/list-calls.ts";
import { quantile } from "../lists/quantile.ts";
import { CALL_CASES, UNMEASURED, type CallCase } from "./call-cases.ts";

const ROWS = 100_000;

const keyOf = (call: AnyCall) => `${call.method} ${call.path}`;

/** The cheapest one counts: what else the machine does may last for some of them only. */
const PASSES = 3;

/** Of one pass. A tick of the kernel's accounting must not matter. */
const ROUNDS = 12;

/** Of one pass, of calls that change something. */
const CHANGING_ROUNDS = 4;

/** How much more CPU time the dearest call may take for its price than the usual call. */
const MAX_RATIO = 8;

/**
 * Saving the default rule may write every VOD, which takes more than 8 times what a session's whole burst
 * allows. A person has to be able to save it, and to correct it at once.
 */
const MAX_RATIO_OF_DEFAULTS = 12;

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
  sql`INSERT INTO channels (owner_id, added_at, added_by, author_id, listed_at)
    SELECT id, 0, id, id, 0 FROM users WHERE permissions = '[]' ORDER BY seq LIMIT 300`,
  sql`INSERT INTO vods (vod_id, owner_id, kind, title, duration_sec, recorded_at, first_seen_at,
      last_seen_at, decision, reason)
    SELECT CAST(8000000000 + u.seq AS TEXT), c.owner_id, 'archive', u.title, u.duration_sec, u.created_at,
      u.created_at, u.created_at, 'leave', 'too_short'
    FROM uploads u JOIN (SELECT owner_id, row_number() OVER () - 1 AS n FROM channels) c
      ON c.n = u.seq % 300`,
];

const READS = CALLS.filter(({ method }) => method === "GET");

function callOf(path: string): AnyCall {
  const { pathname } = new URL(path, "http://localhost");
  const call =
    READS.find((each) => each.path === pathname) ??
    READS.find((each) => patternOf(each).test(pathname));
  if (call === undefined) throw new Error(`No call has the path ${pathname}`);
  return call;
}

type Measured = {
  readonly name: string;
  readonly call: AnyCall;
  readonly request: CallCase;
  cpuUsPerUnit: number;
};

function measuredCall(name: string, call: AnyCall, request: CallCase): Measured {
  return { name, call, request, cpuUsPerUnit: Number.POSITIVE_INFINITY };
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
    const [file] = await vodkeep.platform.database.all(
      sql`SELECT object_key AS key FROM files LIMIT 1`,
    );
    const measured = [
      ...PATHS.map((path) => measuredCall(`GET ${path}`, callOf(path), () => ({ path }))),
      ...CALLS.flatMap((call) => {
        const request = CALL_CASES[keyOf(call)];
        return request === undefined ? [] : [measuredCall(keyOf(call), call, request)];
      }),
    ];
    const measure = async (each: Measured, pass: number) => {
      const { call, request } = each;
      const rounds = call.method === "GET" ? ROUNDS : CHANGING_ROUNDS;
      const ranking = await rankingCost(call, vodkeep.platform.database);
      let spentUs = 0;
      // The first one compiles.
      for (let round = 0; round <= rounds; round += 1) {
        const { path: own = call.path, body } = request(pass * (rounds + 1) + round);
        const path = own.replace("{file}", String(file?.["key"]));
        const before = process.threadCpuUsage();
        const answer = await admin.send(call.method, path, body === undefined ? {} : { body });
        await answer.text();
        const { user, system } = process.threadCpuUsage(before);
        expect([keyOf(call), answer.status]).not.toEqual([keyOf(call), 500]);
        const cost =
          requestCost(call, new URL(path, "http://localhost").searchParams) +
          bodyCost(body) +
          ranking;
        if (round > 0) spentUs += (user + system) / cost;
      }
      each.cpuUsPerUnit = Math.min(each.cpuUsPerUnit, spentUs / rounds);
    };
    // Reads first: what the others change must not make them cheap.
    for (const isRead of [true, false])
      for (let pass = 0; pass < PASSES; pass += 1)
        for (const each of measured)
          if ((each.call.method === "GET") === isRead) await measure(each, pass);
    const usualUs = quantile(
      measured.map(({ cpuUsPerUnit }) => cpuUsPerUnit).toSorted((left, right) => left - right),
      0.5,
    );
    const dear = measured.filter(
      ({ call, cpuUsPerUnit }) =>
        cpuUsPerUnit >
        (call === updateChannelDefaults ? MAX_RATIO_OF_DEFAULTS : MAX_RATIO) * usualUs,
    );
    expect(dear.map(({ name, cpuUsPerUnit }) => `${name}: ${cpuUsPerUnit / usualUs}`)).toEqual([]);
  },
  SLOWEST_MS,
);
