import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { HISTORY_DAYS } from "./limits.ts";
import { dayStartParameter, sizeBytesSchema } from "./values.ts";

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
   * in the trash.
   */
  storage: z.nullable(
    z.object({
      used: sizeBytesSchema,
      free: z.nullable(sizeBytesSchema),
      percentage: z.number().check(z.nonnegative()),
      trashBytes: sizeBytesSchema,
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

/**
 * One value per UTC day, oldest first; the last is today so far. Null where nothing was recorded.
 */
const daysSchema = z.array(z.nullable(z.number())).check(z.length(HISTORY_DAYS));

/** A series is null when the administrator may not read its data. */
export const dashboardHistorySchema = z.object({
  /** The last day, e.g. `2026-11-20`. */
  today: z.iso.date(),
  /** Uploads begun. */
  uploads: z.nullable(daysSchema),
  /** Uploads that failed on that day and are still failed. */
  failed: z.nullable(daysSchema),
  /** Accounts at the end of the day. */
  users: z.nullable(daysSchema),
  /** Bytes stored, the day's maximum. */
  storedBytes: z.nullable(daysSchema),
});
export type DashboardHistory = z.infer<typeof dashboardHistorySchema>;

export const dashboardHistory = defineCall({
  method: "GET",
  path: "/admin/dashboard/history",
  policy: "admin",
  summary: "Uploads, failures, accounts and stored bytes per day over two weeks",
  data: dashboardHistorySchema,
});
