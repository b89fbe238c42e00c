import * as z from "zod/mini";
import { defineCall } from "./call.ts";
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
