import { parseArgs } from "node:util";
import process from "node:process";
import { chromium, type Browser } from "@playwright/test";
import { ROUTE_PATHS } from "#console/app/route-paths.ts";
import { ensureConsoleBuilt } from "../../scripts/build.mjs";
import { writeLedgerEntry } from "../ledger.ts";
import { startHost, type LiveHost } from "../live/live-host.ts";
import { medianBy } from "../median.ts";
import { measureBusyMonitor } from "./busy-monitor.ts";
import { measureLongDay } from "./long-day.ts";
import { visit, type Visit } from "./visit.ts";

const ROUTES: Readonly<Record<string, string>> = ROUTE_PATHS;

/** docs/targets.md#console, with a CPU four times slower. */
const LCP_TARGET_MS = 1_200;
const BLOCKING_TARGET_MS = 400;

/** A table of twenty rows is rendered again; on a fast machine the pause is unnoticeable. */
const UPDATE_TASK_TARGET_MS = 50;

/** For a tab open for eight hours (docs/targets.md#console). */
const DAY_GROWTH_TARGET = 0.2;

/**
 * Measures the built console in Debian's Chromium on the real host: the load time of each route,
 * the Upload Monitor under load, and the memory growth of a tab that is open all day.
 *
 *   npm run bench -- console --rounds 5 --write
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "5" },
      routes: { type: "string", default: Object.keys(ROUTES).join(",") },
      write: { type: "boolean", default: false },
    },
  });
  await ensureConsoleBuilt();
  const host = await startHost();
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
  });
  const misses: string[] = [];
  try {
    const routes = await measureRoutes(
      browser,
      host,
      values.routes.split(","),
      Number(values.rounds),
      misses,
    );
    const monitor = await measureBusyMonitor(browser, host);
    console.log(
      `Upload Monitor, 20 rows, 50 updates a second: longest task ${monitor.longestTaskMs} ms, ` +
        `${monitor.blockingMs} ms blocked of ${monitor.seconds} s, main thread ${monitor.busyPercent} % busy`,
    );
    if (monitor.longestTaskMs > UPDATE_TASK_TARGET_MS)
      misses.push(`monitor: a task of ${monitor.longestTaskMs} ms`);
    const day = await measureLongDay(browser, host);
    console.log(
      `A day in one tab: ${day.events} updates and ${day.visits} visits, heap ${day.beforeMb} MB, ` +
        `then ${day.afterMb} MB; ${day.nodesBefore} nodes, then ${day.nodesAfter}`,
    );
    if (day.afterMb > day.beforeMb * (1 + DAY_GROWTH_TARGET))
      misses.push(`the day's heap grew from ${day.beforeMb} to ${day.afterMb} MB`);
    if (values.write) writeLedgerEntry("console", { routes, monitor, day });
  } finally {
    await browser.close();
    host.end();
  }
  for (const miss of misses) console.log(`MISSED ${miss}`);
  if (misses.length > 0) process.exitCode = 1;
}

async function measureRoutes(
  browser: Browser,
  host: LiveHost,
  names: readonly string[],
  rounds: number,
  misses: string[],
): Promise<Record<string, Visit>> {
  const figures: Record<string, Visit> = {};
  for (const name of names) {
    const path = ROUTES[name];
    if (path === undefined) throw new Error(`There is no route ${name}`);
    const visits: Visit[] = [];
    for (let turn = 0; turn < rounds; turn += 1)
      visits.push(await visit(browser, `http://localhost:${host.port}`, path));
    const middle = {
      ...medianBy(visits, (one) => one.lcpMs),
      blockingMs: medianBy(visits, (one) => one.blockingMs).blockingMs,
      layoutShift: Math.max(...visits.map((one) => one.layoutShift)),
    };
    figures[name] = middle;
    console.log(
      `${name.padEnd(15)} ${(middle.scriptBytes / 1_000).toFixed(1)} kB of scripts as sent, ${middle.requests} requests, ` +
        `LCP ${middle.lcpMs} ms, blocked ${middle.blockingMs} ms, longest task ${middle.longestTaskMs} ms, shift ${middle.layoutShift.toFixed(4)}`,
    );
    if (middle.lcpMs > LCP_TARGET_MS) misses.push(`${name}: LCP ${middle.lcpMs} ms`);
    if (middle.blockingMs > BLOCKING_TARGET_MS)
      misses.push(`${name}: blocked for ${middle.blockingMs} ms`);
    if (middle.layoutShift > 0)
      misses.push(`${name}: layout shift ${middle.layoutShift.toFixed(4)}`);
  }
  return figures;
}
