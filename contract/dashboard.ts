import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { listChannels } from "./channels.ts";
import { budgets, costAlerts, costBreakdown, thresholds } from "./costs.ts";
import { systemMetrics, systemSetup } from "./system.ts";
import { listFailedUploads, listUploads, uploadWork } from "./uploads.ts";
import { booleanParameter, dayStartParameter, sizeBytesSchema } from "./values.ts";

const count = z.int().check(z.nonnegative());

/** A block is null when the administrator may not read its data. */
export const dashboardStatsSchema = z.object({
  uploads: z.nullable(
    z.object({
      total: count,
      /** Begun since `dayStart`. */
      today: count,
      completed: count,
      processing: count,
      failed: count,
      /** Of those that are failed. */
      pending: count,
    }),
  ),
  /** Active are those who have signed in and are not banned. */
  users: z.nullable(z.object({ active: count, total: count })),
  /**
   * `percentage` of the planned capacity: above 100 when over it, as in the metrics. `free` is the
   * room on the disk, above its reserve; null for a bucket. `trashBytes`, of those used, are of files
   * in the trash. `bytesPerDay` is the growth of the last week; null before the second day.
   */
  storage: z.nullable(
    z.object({
      used: sizeBytesSchema,
      free: z.nullable(sizeBytesSchema),
      percentage: z.number().check(z.nonnegative()),
      trashBytes: sizeBytesSchema,
      bytesPerDay: z.nullable(z.number()),
    }),
  ),
});
export type DashboardStats = z.infer<typeof dashboardStatsSchema>;

export const dashboardStats = defineCall({
  method: "GET",
  path: "/admin/dashboard/stats",
  policy: "admin",
  summary: "Counts of uploads, users and stored bytes",
  query: z.strictObject({ dayStart: dayStartParameter }),
  data: dashboardStatsSchema,
});

/** What the dashboard asks for when it opens; it polls each of them by itself. */
export const DASHBOARD_LISTS = {
  recent: { limit: 5 },
  running: { page: 1, status: "processing", limit: 20 },
  failed: { page: 1, limit: 20 },
  channels: { limit: 1 },
  alerts: { limit: 10 },
} as const;

export const dashboardView = defineCall({
  method: "GET",
  path: "/admin/dashboard",
  policy: "admin",
  summary: "All that the dashboard shows at first, in one answer",
  query: z.strictObject({
    dayStart: dayStartParameter,
    /** Whether the first steps are wanted. */
    setup: z.optional(booleanParameter),
  }),
  /** Each part is the answer of its own call, null when the administrator may not make that one. */
  data: z.object({
    stats: dashboardStatsSchema,
    work: z.nullable(uploadWork.data),
    running: z.nullable(listUploads.data),
    recent: z.nullable(listUploads.data),
    failed: z.nullable(listFailedUploads.data),
    channels: z.nullable(listChannels.data),
    metrics: z.nullable(systemMetrics.data),
    breakdown: z.nullable(costBreakdown.data),
    budgets: z.nullable(budgets.data),
    alerts: z.nullable(costAlerts.data),
    thresholds: z.nullable(thresholds.data),
    setup: z.nullable(systemSetup.data),
  }),
});
export type DashboardView = z.infer<typeof dashboardView.data>;
