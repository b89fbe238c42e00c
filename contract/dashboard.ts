import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { percentageSchema, sizeBytesSchema } from "./values.ts";

const count = z.int().check(z.nonnegative());

/** A block is null when the administrator may not read what it counts. */
export const dashboardStatsSchema = z.object({
  uploads: z.nullable(
    z.object({
      total: count,
      today: count,
      completed: count,
      processing: count,
      failed: count,
      pending: count,
    }),
  ),
  users: z.nullable(z.object({ active: count, total: count })),
  storage: z.nullable(z.object({ used: sizeBytesSchema, percentage: percentageSchema })),
});
export type DashboardStats = z.infer<typeof dashboardStatsSchema>;

export const dashboardStats = defineCall({
  method: "GET",
  path: "/admin/dashboard/stats",
  policy: "admin",
  summary: "Counts of uploads, users and stored bytes",
  data: dashboardStatsSchema,
});
