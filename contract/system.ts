import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { MAX_LOG_LINES } from "./limits.ts";
import {
  instantSchema,
  integerParameter,
  logLevelSchema,
  systemStatusSchema,
  usdSchema,
} from "./values.ts";

/** `unknown` until a probe has answered; health is never assumed. */
export const healthStatusSchema = z.enum(["healthy", "degraded", "unhealthy", "unknown"]);
export type HealthStatus = z.infer<typeof healthStatusSchema>;

const health = {
  status: healthStatusSchema,
  /** The reason, as a sentence; absent where there is none. */
  reason: z.optional(z.string()),
};
const healthSchema = z.object(health);
export type Health = z.infer<typeof healthSchema>;

export const systemHealthSchema = z.object({
  status: systemStatusSchema,
  reasons: z.array(
    z.object({
      part: z.string(),
      status: z.enum(["degraded", "unhealthy", "unknown"]),
      /** One or more sentences. */
      text: z.string(),
    }),
  ),
});
export type SystemHealth = z.infer<typeof systemHealthSchema>;

const count = z.int().check(z.nonnegative());

export const systemMetricsSchema = z.object({
  /** Seconds since the process, or the deployment, started. */
  uptime: z.number().check(z.nonnegative()),
  totalUploads: count,
  activeUploads: count,
  failedUploads: count,
  health: systemHealthSchema,
  cloudflare: z.object({
    r2Storage: z.object({
      usedGB: z.number(),
      /** Percent as text, e.g. "12.3%". */
      utilization: z.string().check(z.regex(/^\d+(\.\d+)?%$/)),
      ...health,
    }),
    d1Database: z.object({ totalRecords: count, ...health }),
    workers: z.object({ environment: z.string(), ...health }),
    queues: z.object({ vodResumeQueue: healthSchema }),
  }),
  costAnalysis: z.object({
    costTrend: z.enum(["increasing", "decreasing", "stable", "unknown"]),
    dailyCosts: z.object({
      total: usdSchema,
      workers: usdSchema,
      r2Storage: usdSchema,
      d1Database: usdSchema,
      kvNamespaces: usdSchema,
    }),
    /** Null before three days of data: too little to project from. */
    projectedMonthlyCost: z.nullable(usdSchema),
    /** Null while the divisor is zero. */
    unitEconomics: z.object({
      costPerVod: z.nullable(usdSchema),
      costPerUser: z.nullable(usdSchema),
      costPerGB: z.nullable(usdSchema),
    }),
  }),
  performance: z.object({
    /** Finished operations per minute as text, e.g. "4.2 ops/min". */
    throughput: z.string().check(z.regex(/^\d/)),
  }),
});
export type SystemMetrics = z.infer<typeof systemMetricsSchema>;

export const systemMetrics = defineCall({
  method: "GET",
  path: "/admin/system/metrics",
  policy: "read:system",
  summary: "Health, load and cost of the running service",
  data: systemMetricsSchema,
});

export const systemMetricsStream = defineCall({
  method: "GET",
  path: "/admin/system/metrics/stream",
  policy: "read:system",
  summary: "The same metrics, pushed",
  query: z.strictObject({ token: z.optional(z.string()) }),
  data: systemMetricsSchema,
  stream: true,
});

export const logEntrySchema = z.object({
  id: z.string(),
  level: logLevelSchema,
  timestamp: instantSchema,
  message: z.string(),
  meta: z.nullable(z.record(z.string(), z.unknown())),
});
export type LogEntry = z.infer<typeof logEntrySchema>;

export const systemLogs = defineCall({
  method: "GET",
  path: "/admin/system/logs",
  policy: "read:system",
  summary: "The newest log entries of one level",
  query: z.strictObject({
    level: z._default(logLevelSchema, "error"),
    limit: integerParameter(1, MAX_LOG_LINES, MAX_LOG_LINES),
    search: z.optional(z.string().check(z.maxLength(200))),
    /** Only entries older than this id, for the next page back in time. */
    before: z.optional(z.string().check(z.regex(/^\d{1,15}$/))),
  }),
  data: z.object({ logs: z.array(logEntrySchema) }),
});

/** Work on one page; the rest is only counted. */
export const MAX_WAITING_WORK = 50;

export const waitingWorkSchema = z.object({
  /** What fails comes first, then what is due next. No kind of work takes the place of another. */
  items: z
    .array(
      z.object({
        /** In words, e.g. "Chat replay". */
        work: z.string(),
        /** What it is about: a title, a name or an object key; null if the work itself says it. */
        subject: z.nullable(z.string()),
        isRunning: z.boolean(),
        /** In the past if it waits for a place only. */
        dueAt: instantSchema,
        /** Begun in a row and not succeeded. */
        attempts: count,
        /** Why the last one failed, in the words of whoever refused; null if none did. */
        error: z.nullable(z.string()),
      }),
    )
    .check(z.maxLength(MAX_WAITING_WORK)),
  total: count,
});
export type WaitingWork = z.infer<typeof waitingWorkSchema>;

export const readWaitingWork = defineCall({
  method: "GET",
  path: "/admin/system/waiting",
  policy: "read:system",
  summary: "What waits or runs in the background, why, and until when",
  data: waitingWorkSchema,
});

export const clearCache = defineCall({
  method: "POST",
  path: "/admin/system/cache/clear",
  policy: "write:system",
  summary: "Clear the cache; sessions, audit entries and leases are not in it",
  data: z.object({ cleared: count }),
});

export const restartWorkers = defineCall({
  method: "POST",
  path: "/admin/system/workers/restart",
  policy: "write:system",
  summary: "Stop running archives at their next checkpoint and resume them; none is lost",
  data: z.object({ restarted: count, resumed: count }),
});

export const confirmClock = defineCall({
  method: "POST",
  path: "/admin/system/clock/confirm",
  policy: "write:system",
  summary:
    "Say that the service's clock is right after it has jumped, so that old data is removed again",
  data: z.object({ confirmedAt: instantSchema }),
});

export const systemSetup = defineCall({
  method: "GET",
  path: "/admin/system/setup",
  policy: "write:system",
  summary: "What a new deployment needs, and which of it is done",
  data: z.object({
    /** In this order; `backup` is absent where no backup is made by a command. */
    steps: z.array(
      z.object({
        step: z.enum(["twitch", "storage", "archive", "notifications", "backup"]),
        isDone: z.boolean(),
        /** What is there, or what is missing. */
        text: z.string(),
      }),
    ),
  }),
});
