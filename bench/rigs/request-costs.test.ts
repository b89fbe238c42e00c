import { afterAll, expect, it } from "vitest";
import { CALLS } from "#contract/registry.ts";
import { requestCost } from "#service/http/request-limits.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedRows } from "../../scripts/seed-rows.ts";
import { involvedCalls, plainCalls } from "../lists/list-calls.ts";
import { CHANNELS } from "../lists/seeded-folder.ts";
import { quantile } from "../lists/quantile.ts";

const ROWS = 100_000;

/** A tick of the kernel's accounting must not matter. */
const ROUNDS = 12;

/** How much more CPU time the dearest call may take for its price than the usual call. */
const MAX_RATIO = 8;

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
  "/admin/dashboard/history",
  "/admin/notifications/events?limit=100",
  "/admin/system/history?range=month",
  "/admin/system/logs?search=a",
];

/** Seeding takes a minute on a quiet core; the other tests of the rigs share it. */
const SLOWEST_MS = 300_000;

const READS = CALLS.filter(({ method }) => method === "GET");

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

const vodkeep = await startTestService();
afterAll(() => vodkeep.close());

it(
  "no list takes much more CPU time for its price than the others",
  async () => {
    const counts = { uploads: ROWS, files: ROWS, users: 2_000 };
    await seedRows(vodkeep.platform.database, counts, vodkeep.clock.now(), () => {});
    await vodkeep.platform.database.batch(CHANNELS);
    const admin = await vodkeep.signIn(ADMIN);
    const prices: { readonly path: string; readonly cpuUsPerUnit: number }[] = [];
    for (const path of PATHS) {
      const url = new URL(path, "http://localhost");
      const call =
        READS.find((each) => each.path === url.pathname) ??
        READS.find((each) => patternOf(each.path).test(url.pathname));
      if (call === undefined) throw new Error(`No call has the path ${url.pathname}`);
      const before = process.threadCpuUsage();
      for (let round = 0; round < ROUNDS; round += 1) {
        const answer = await admin.send("GET", path);
        expect(answer.status).toBe(200);
        await answer.text();
      }
      const { user, system } = process.threadCpuUsage(before);
      const cost = requestCost(call, url.searchParams);
      prices.push({ path, cpuUsPerUnit: (user + system) / ROUNDS / cost });
    }
    const usualUs = quantile(
      prices.map(({ cpuUsPerUnit }) => cpuUsPerUnit).toSorted((left, right) => left - right),
      0.5,
    );
    const dear = prices.filter(({ cpuUsPerUnit }) => cpuUsPerUnit > MAX_RATIO * usualUs);
    expect(dear).toEqual([]);
  },
  SLOWEST_MS,
);
