import { bearerOf } from "#service/http/bearer.ts";
import { UPLOAD_STATUSES } from "#contract/upload.ts";
import type { ServiceContext } from "#service/context.ts";
import { readCounters } from "#service/db/counters.ts";
import { ApiError } from "#service/api-error.ts";
import { errorResponse } from "#service/http/error-response.ts";
import { DatabaseError } from "#service/ports/database.ts";
import type { Metric } from "#service/ports/telemetry.ts";
import { readHealth } from "#service/health/health-store.ts";
import { verdictOf } from "#service/health/health-verdict.ts";
import { readMetrics } from "./metrics.ts";
import { COMPONENTS, PARTS } from "#service/health/parts.ts";
import { storageUse } from "#service/space/storage-use.ts";
import { readNightGauges } from "./night-gauges.ts";
import { readWorkGauges, type Gauge, type ProcessState } from "./work-gauges.ts";

export const PROMETHEUS_PATH = "/metrics";

/** Prometheus text exposition format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Metrics for Prometheus, for requests with METRICS_TOKEN as bearer. Gauges come from the database;
 * counters and histograms, where the host keeps them, belong to the answering process.
 */
export function createPrometheus(
  context: ServiceContext,
  token: string,
  readProcess: () => ProcessState,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const given = bearerOf(request.headers.get("authorization"));
    if (given === null || !(await isEqual(given, token)))
      return errorResponse(new ApiError("unauthenticated", "This needs the metrics token."));
    return new Response(await renderOrReportOutage(context, readProcess()), {
      headers: { "content-type": CONTENT_TYPE },
    });
  };
}

/** Compares digests, so that the timing reveals nothing about the token. */
async function isEqual(given: string, expected: string): Promise<boolean> {
  const [left, right] = await Promise.all([digest(given), digest(expected)]);
  return left.every((byte, index) => byte === right[index]);
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** During a database outage, reports only the outage and the process's own counters. */
async function renderOrReportOutage(
  context: ServiceContext,
  process: ProcessState,
): Promise<string> {
  try {
    return render(await readAll(context, process));
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    context.log.warn("Prometheus metrics failed because of an outage", { error });
    return render([gauge(...HEALTHY, [['component="database"', 0]]), ...counted(context)]);
  }
}

const HEALTHY = [
  "vodkeep_healthy",
  "1 when the component is healthy, 0.5 when degraded, 0 when not; absent while unknown",
] as const;

const HEALTH_VALUES = { healthy: 1, degraded: 0.5, unhealthy: 0 } as const;

async function readAll(context: ServiceContext, process: ProcessState): Promise<readonly Metric[]> {
  const { platform, settings } = context;
  const { database, clock, runtime } = platform;
  const [counters, health, metrics, backlog, work, night] = await Promise.all([
    readCounters(database),
    readHealth(database, runtime.startedAt, clock.now()),
    readMetrics(context),
    platform.queue.backlog(),
    readWorkGauges(context, process),
    readNightGauges(context),
  ]);
  const storage = storageUse(counters.of("files.bytes"), settings);
  const projectedUsd = metrics.costAnalysis.projectedMonthlyCost;
  return [
    gauge("vodkeep_start_time_seconds", "When the service started, in Unix time", [
      ["", Math.round(runtime.startedAt.getTime() / 1_000)],
    ]),
    gauge(
      "vodkeep_uploads",
      "Uploads by status",
      UPLOAD_STATUSES.map((status) => [`status="${status}"`, counters.of(`uploads.${status}`)]),
    ),
    gauge("vodkeep_stored_files", "Files in the object store", [["", counters.files]]),
    gauge("vodkeep_stored_bytes", "Bytes in the object store", [["", storage.usedBytes]]),
    gauge("vodkeep_storage_used_ratio", "Stored bytes divided by STORAGE_CAPACITY_GB", [
      ["", storage.percentage / 100],
    ]),
    gauge("vodkeep_users", "Users known to the service", [["", counters.of("users.total")]]),
    gauge("vodkeep_administrators", "Users with at least one permission", [
      ["", counters.of("users.admins")],
    ]),
    gauge("vodkeep_database_records", "Rows of the main tables", [
      ["", metrics.cloudflare.d1Database.totalRecords],
    ]),
    ...(backlog === null
      ? []
      : [
          gauge("vodkeep_queue_messages", "Messages waiting in the VOD Resume Queue", [
            ["", backlog.count],
          ]),
        ]),
    gauge(
      "vodkeep_month_cost_projected_usd",
      "This month's projected cost; absent while there is not enough data",
      projectedUsd === null ? [] : [["", projectedUsd]],
    ),
    gauge(
      ...HEALTHY,
      COMPONENTS.flatMap((component) => {
        const { status } = health[component];
        if (status === "unknown") return [];
        return [[`component="${PARTS[component].label}"`, HEALTH_VALUES[status]] as const];
      }),
    ),
    gauge(
      "vodkeep_system_healthy",
      "1 when the service as a whole is healthy, as the console states it",
      [["", verdictOf(health).status === "healthy" ? 1 : 0]],
    ),
    ...[...work, ...night].map((each) => gauge(...each)),
    ...counted(context),
  ];
}

function counted({ platform }: ServiceContext): readonly Metric[] {
  return platform.telemetry?.read() ?? [];
}

function gauge(...[name, help, samples]: Gauge): Metric {
  return { name, help, type: "gauge", samples };
}

function render(metrics: readonly Metric[]): string {
  return metrics
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(
        ([labels, value, suffix = ""]) =>
          `${name}${suffix}${labels === "" ? "" : `{${labels}}`} ${value}`,
      ),
    ])
    .map((line) => `${line}\n`)
    .join("");
}
