import * as z from "zod/mini";
import { healthStatusSchema, type HealthStatus } from "#contract/system.ts";
import { sql } from "#service/db/sql.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { PARTS, type Component } from "./parts.ts";

export type ProbeResult = {
  readonly status: HealthStatus;
  /** The reason, as a sentence; null where there is none. */
  readonly detail: string | null;
};

export type ProbeResults = Readonly<Record<Component, ProbeResult>>;

export type ComponentResult = ProbeResult & { readonly component: Component };

const probeRow = z.object({
  component: z.string(),
  status: healthStatusSchema,
  detail: z.nullable(z.string()),
});

/** Older results are ignored. */
const STALE_AFTER_MS = 90_000;

/** Twitch is checked once an hour, and what it answered does not end with a process. */
const TWITCH_STALE_AFTER_MS = 7_200_000;

/**
 * Reports `unknown` for components without a result since `startedAt`, or without a recent one. The
 * start does not matter for Twitch.
 */
export async function readHealth(
  database: Database,
  startedAt: Date,
  nowMs: number,
): Promise<ProbeResults> {
  const since = Math.max(startedAt.getTime(), nowMs - STALE_AFTER_MS);
  const rows = await database.all(sql`
    SELECT component, status, detail FROM health_probes
    WHERE checked_at >= iif(component = 'twitch', ${nowMs - TWITCH_STALE_AFTER_MS}, ${since})`);
  const results = new Map<string, ProbeResult>(
    rows.map((row) => {
      const { component, status, detail } = probeRow.parse(row);
      return [component, { status, detail }];
    }),
  );
  for (const [component, { status, detail, atMs }] of unsavedResults.get(database) ?? [])
    if (atMs >= since) results.set(component, { status, detail });
  const resultOf = (component: Component) => results.get(component) ?? UNKNOWN;
  return {
    r2Storage: resultOf("r2Storage"),
    d1Database: resultOf("d1Database"),
    workers: resultOf("workers"),
    vodResumeQueue: resultOf("vodResumeQueue"),
    disk: resultOf("disk"),
    twitch: resultOf("twitch"),
    capacity: resultOf("capacity"),
    uploads: resultOf("uploads"),
    notifications: resultOf("notifications"),
    refusals: resultOf("refusals"),
    backups: resultOf("backups"),
    clock: resultOf("clock"),
  };
}

const UNKNOWN: ProbeResult = { status: "unknown", detail: null };

type UnsavedResult = ProbeResult & {
  readonly failures: number;
  readonly atMs: number;
};

/** Results that a full or locked database could not store; they apply until it stores one again. */
const unsavedResults = new WeakMap<Database, Map<Component, UnsavedResult>>();

/** If the database cannot store a result, its own probe has failed. */
function rememberInMemory(
  database: Database,
  { component, status, detail }: ComponentResult,
  atMs: number,
): void {
  const kept = unsavedResults.get(database) ?? new Map<Component, UnsavedResult>();
  unsavedResults.set(database, kept);
  const hasFailed = status === "unhealthy" || component === "d1Database";
  const failures = hasFailed ? (kept.get(component)?.failures ?? 0) + 1 : 0;
  const smoothed = failures === 0 ? status : failures === 1 ? "degraded" : "unhealthy";
  kept.set(component, { status: smoothed, detail, failures, atMs });
}

/**
 * Records results in one batch. One failed probe makes a component degraded, a second in a row
 * unhealthy; administrators are notified once when it becomes unhealthy. Returns the number of
 * consecutive failures of each component.
 */
export async function recordProbes(
  database: Database,
  results: readonly ComponentResult[],
  atMs: number,
): Promise<ReadonlyMap<Component, number>> {
  try {
    const recorded = await database.batch([
      ...results.map((result) => recordOf(result, atMs)),
      ...results.flatMap((result) => alarmOf(result, atMs)),
    ]);
    unsavedResults.delete(database);
    return new Map(
      results.map(({ component }, index) => [
        component,
        failuresRow.parse(recorded[index]?.rows[0]).failures,
      ]),
    );
  } catch (error) {
    for (const result of results) rememberInMemory(database, result, atMs);
    throw error;
  }
}

/** The statements of {@link recordProbes} for one result. */
export function storeProbe(result: ComponentResult, atMs: number): readonly Statement[] {
  return [recordOf(result, atMs), ...alarmOf(result, atMs)];
}

const failuresRow = z.object({ failures: z.number() });

function recordOf({ component, status, detail }: ComponentResult, atMs: number): Statement {
  const failed = status === "unhealthy" ? 1 : 0;
  const smoothed = failed === 1 ? "degraded" : status;
  return sql`INSERT INTO health_probes (component, status, detail, failures, since_at, checked_at)
    VALUES (${component}, ${smoothed}, ${detail}, ${failed}, ${atMs}, ${atMs})
    ON CONFLICT (component) DO UPDATE SET
      detail = excluded.detail, checked_at = excluded.checked_at,
      failures = CASE WHEN ${failed} THEN failures + 1 ELSE 0 END,
      status = CASE WHEN ${failed} AND status = 'unhealthy' THEN status ELSE excluded.status END,
      since_at = CASE WHEN status = excluded.status OR (${failed} AND status = 'unhealthy')
        THEN since_at ELSE excluded.since_at END
    RETURNING failures`;
}

/** The second consecutive failure changes the status; later ones match no row. */
function alarmOf({ component, detail }: ComponentResult, atMs: number): readonly Statement[] {
  return recordedChange(
    sql`UPDATE health_probes SET status = 'unhealthy', since_at = ${atMs}
      WHERE component = ${component} AND failures >= 2 AND status <> 'unhealthy'`,
    atMs,
    {
      event: {
        type: "service_unhealthy",
        subject: component,
        title: `Unhealthy: ${PARTS[component].name}`,
        body: detail ?? "Two health probes in a row have failed.",
        link: "/system",
      },
    },
  );
}
