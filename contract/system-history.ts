import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { instantSchema } from "./values.ts";

/** The time between points, and their number. */
export const HISTORY_RANGES = {
  hour: { stepSec: 60, points: 60 },
  day: { stepSec: 600, points: 144 },
  week: { stepSec: 3_600, points: 168 },
  month: { stepSec: 14_400, points: 180 },
} as const;
export const historyRangeSchema = z.enum(["hour", "day", "week", "month"]);
export type HistoryRange = z.infer<typeof historyRangeSchema>;

/** One value per step, oldest first; null where nothing was sampled. */
const seriesSchema = z
  .array(z.nullable(z.number().check(z.nonnegative())))
  .check(z.maxLength(HISTORY_RANGES.month.points));

export const historyMarkSchema = z.object({
  at: instantSchema,
  /** A `deployment` is a start with another version than the one before. */
  kind: z.enum(["start", "deployment", "restart", "alert"]),
  /** The version that started, or the alert's title; empty for a restart of the workers. */
  detail: z.string(),
});
export type HistoryMark = z.infer<typeof historyMarkSchema>;

export const systemHistorySchema = z.object({
  /** When the first step began. */
  startsAt: instantSchema,
  stepSec: z.int().check(z.positive()),
  /** The most at a time. */
  activeUploads: seriesSchema,
  /** Bytes of parts that the store confirmed, averaged over the step. */
  bytesPerSec: seriesSchema,
  /** The most. */
  storedBytes: seriesSchema,
  /** How many failed. */
  failedUploads: seriesSchema,
  /** How long the archive waited that was due longest, at most. */
  queueAgeSec: seriesSchema,
  /** Oldest first; the newest 50 at most. */
  marks: z.array(historyMarkSchema).check(z.maxLength(50)),
});
export type SystemHistory = z.infer<typeof systemHistorySchema>;

export const systemHistory = defineCall({
  method: "GET",
  path: "/admin/system/history",
  policy: "read:system",
  summary:
    "Load, storage and failures over an hour, day, week or month, with restarts, deployments and alerts",
  query: z.strictObject({ range: z._default(historyRangeSchema, "day") }),
  data: systemHistorySchema,
});
