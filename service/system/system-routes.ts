import * as calls from "#contract/system.ts";
import { systemHistory } from "#contract/system-history.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import { sql } from "#service/db/sql.ts";
import type { ServiceContext } from "#service/context.ts";
import { actorOf, route, type RequestContext, type Route } from "#service/http/route.ts";
import { readClockTrust, trustClock } from "#service/clock-trust.ts";
import { readLogs } from "./log-store.ts";
import { readMetrics } from "#service/metrics/metrics.ts";
import { readSystemHistory } from "#service/history/system-history.ts";
import { listWaitingWork } from "#service/jobs/waiting-work.ts";

/** The parts of the archive engine that a restart uses. */
export type Workers = {
  /** Makes every running archive hand over at its checkpoint; returns how many did. */
  drain(): Promise<number>;
  /** Makes other processes hand over; returns how many archives they run. */
  handOverElsewhere(): Promise<number>;
  /** Resumes everything unfinished; returns how many. */
  resumeAll(): Promise<number>;
};

export function systemRoutes(context: ServiceContext, workers: Workers): Route[] {
  const { platform } = context;
  let restarting: Promise<{ restarted: number; resumed: number }> | null = null;

  async function restart(): Promise<{ restarted: number; resumed: number }> {
    let restarted = await workers.drain();
    try {
      restarted += await workers.handOverElsewhere();
    } catch (error) {
      // This process was drained; whatever failed elsewhere, it must resume.
      await workers.resumeAll();
      throw error;
    }
    return { restarted, resumed: await workers.resumeAll() };
  }

  async function record(request: RequestContext, action: string, after: unknown): Promise<void> {
    await platform.database.run(
      auditEntry({
        ...actorOf(request),
        atMs: platform.clock.now(),
        action,
        after,
      }),
    );
  }

  return [
    route(calls.systemMetrics, () => readMetrics(context)),

    route(systemHistory, ({ query }) =>
      readSystemHistory(platform.database, query.range, platform.clock.now()),
    ),

    route(calls.systemLogs, async ({ query }) => ({
      logs: await readLogs(platform.database, query),
    })),

    route(calls.readWaitingWork, () => listWaitingWork(platform)),

    route(calls.clearCache, async ({ context: request }) => {
      const cleared = await platform.cache.clear();
      await record(request, "cache.clear", { cleared });
      return { cleared };
    }),

    route(calls.confirmClock, async ({ context: request }) => {
      const { database, clock } = platform;
      const nowMs = clock.now();
      const confirmedAt = new Date(nowMs).toISOString();
      const { trustedAtMs } = await readClockTrust(database);
      await database.batch([
        ...recordedChange(sql`${trustClock(nowMs)} WHERE clock_distrusted_at IS NOT NULL`, nowMs, {
          audit: {
            ...actorOf(request),
            action: "clock.confirm",
            before:
              trustedAtMs === null ? null : { trustedAt: new Date(trustedAtMs).toISOString() },
            after: { confirmedAt },
          },
        }),
        // The next probe would say it 15 seconds later.
        sql`UPDATE health_probes SET status = 'healthy', detail = NULL WHERE component = 'clock'`,
      ]);
      return { confirmedAt };
    }),

    // Concurrent requests share one restart and its outcome.
    route(calls.restartWorkers, async ({ context: request }) => {
      restarting ??= restart().finally(() => {
        restarting = null;
      });
      const outcome = await restarting;
      await record(request, "workers.restart", outcome);
      return outcome;
    }),
  ];
}
