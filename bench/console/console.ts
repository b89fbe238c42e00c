import { parseArgs } from "node:util";
import process from "node:process";
import { chromium, type Browser } from "@playwright/test";
import { ensureConsoleBuilt } from "../../scripts/build.mjs";
import { SCREEN_PATHS } from "../../scripts/screen-paths.ts";
import { CHROMIUM_LAUNCH } from "../../scripts/testing/chromium.ts";
import { writeLedgerEntry } from "../ledger.ts";
import { startHost, type LiveHost } from "../live/live-host.ts";
import { medianBy } from "../median.ts";
import { measureLiveUpdates } from "./live-updates.ts";
import { measureLongDay } from "./long-day.ts";
import { VISIT_CASES, visit, type Visit } from "./visit.ts";

/** docs/targets.md#console, with a CPU four times slower. */
const LCP_TARGET_MS = 1_200;
const BLOCKING_TARGET_MS = 300;

/** While fifty rows a second change (docs/targets.md#console). */
const BUSY_TARGET = 0.4;
const RESTYLED_TARGET = 50;

/** For a tab open for eight hours (docs/targets.md#console). */
const DAY_GROWTH_TARGET = 0.2;

/**
 * Measures the built console in Debian's Chromium on the real host: the load time of each route,
 * and the memory growth of a tab that is open all day.
 *
 *   npm run bench -- console --rounds 5 --write
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "5" },
      write: { type: "boolean", default: false },
    },
  });
  await ensureConsoleBuilt();
  const host = await startHost();
  const browser = await chromium.launch(CHROMIUM_LAUNCH);
  const misses: string[] = [];
  try {
    const routes = await measureRoutes(browser, host, Number(values.rounds), misses);
    // For comparisons: the targets are those of a visit without them.
    for (const which of VISIT_CASES)
      for (const path of ["/", "/uploads"]) {
        const { lcpMs, blockingMs, layoutShift } = await visit(browser, host, path, which);
        console.log(
          `${path} with ${which}: LCP ${lcpMs} ms, blocked ${blockingMs} ms, shift ${layoutShift.toFixed(4)}`,
        );
        if (layoutShift > 0) misses.push(`${path} with ${which}: layout shift ${layoutShift}`);
      }
    const live = await measureLiveUpdates(browser, host);
    console.log(
      `Live updates: main thread ${Math.round(live.busyShare * 100)} % busy; for each ` +
        `${live.rowRendersPerUpdate.toFixed(2)} rows rendered, ${live.restyledPerUpdate.toFixed(1)} elements restyled`,
    );
    if (live.busyShare > BUSY_TARGET) misses.push("live updates keep the main thread busy");
    if (live.rowRendersPerUpdate > 1.1) misses.push("a live update renders other rows");
    if (live.restyledPerUpdate > RESTYLED_TARGET) misses.push("a live update restyles too much");
    const day = await measureLongDay(browser, host);
    console.log(
      `A day in one tab: ${day.events} updates and ${day.visits} visits, heap ${day.beforeMb} MB, ` +
        `then ${day.afterMb} MB; ${day.nodesBefore} nodes, then ${day.nodesAfter}`,
    );
    if (day.afterMb > day.beforeMb * (1 + DAY_GROWTH_TARGET))
      misses.push(`the day's heap grew from ${day.beforeMb} to ${day.afterMb} MB`);
    if (values.write) writeLedgerEntry("console", { routes, live, day });
  } finally {
    await browser.close();
    await host.end();
  }
  for (const miss of misses) console.log(`MISSED ${miss}`);
  // The host has no end of its own.
  process.exit(misses.length > 0 ? 1 : 0);
}

async function measureRoutes(
  browser: Browser,
  host: LiveHost,
  rounds: number,
  misses: string[],
): Promise<Record<string, Visit>> {
  const figures: Record<string, Visit> = {};
  for (const [name, path] of Object.entries(SCREEN_PATHS)) {
    const visits: Visit[] = [];
    for (let turn = 0; turn < rounds; turn += 1) visits.push(await visit(browser, host, path));
    const middle = {
      ...medianBy(visits, (one) => one.lcpMs),
      blockingMs: medianBy(visits, (one) => one.blockingMs).blockingMs,
      layoutShift: Math.max(...visits.map((one) => one.layoutShift)),
    };
    figures[name] = middle;
    console.log(
      `${name.padEnd(15)} LCP ${middle.lcpMs} ms, blocked ${middle.blockingMs} ms, shift ${middle.layoutShift.toFixed(4)}`,
    );
    if (middle.lcpMs > LCP_TARGET_MS) misses.push(`${name}: LCP ${middle.lcpMs} ms`);
    if (middle.blockingMs > BLOCKING_TARGET_MS)
      misses.push(`${name}: blocked for ${middle.blockingMs} ms`);
    if (middle.layoutShift > 0)
      misses.push(`${name}: layout shift ${middle.layoutShift.toFixed(4)}`);
  }
  return figures;
}
