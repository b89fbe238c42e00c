import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { alertIdSchema, thresholdIdSchema } from "./ids.ts";
import { instantSchema, integerParameter, usdSchema } from "./values.ts";

/** One meter of the month: the usage, the plan's allowance and the cost beyond it. */
export const usageLineSchema = z.object({
  name: z.string(),
  product: z.enum(["Workers", "R2", "D1", "KV", "Queues"]),
  /** In `unit`s, such as operations or GB-months. */
  used: z.number(),
  included: z.number(),
  unit: z.string(),
  costUsd: usdSchema,
});
export type UsageLine = z.infer<typeof usageLineSchema>;

export const costBreakdownSchema = z.object({
  total: usdSchema,
  workers: usdSchema,
  r2Storage: usdSchema,
  r2Operations: usdSchema,
  r2Transfer: usdSchema,
  d1Database: usdSchema,
  d1Operations: usdSchema,
  kvOperations: usdSchema,
  queueOperations: usdSchema,
  lastUpdated: instantSchema,
  periodStart: z.iso.date(),
  periodEnd: z.iso.date(),
  /** The date of the price table; the figures are estimates at those list prices. */
  pricesAsOf: z.iso.date(),
  /** Nothing is billed, since files are stored in a folder: what it would cost on Cloudflare. */
  isHypothetical: z.boolean(),
  /** Cost by meter; the plan's fee is in `workers` and in no line. */
  usage: z.array(usageLineSchema),
});
export type CostBreakdown = z.infer<typeof costBreakdownSchema>;

export const costBreakdown = defineCall({
  method: "GET",
  path: "/admin/cost-alerts/breakdown",
  policy: "read:system",
  summary: "This month's cost so far, by product",
  data: costBreakdownSchema,
});

export const budgetSchema = z.object({
  period: z.enum(["daily", "weekly", "monthly"]),
  budget: usdSchema,
  spent: usdSchema,
  remaining: usdSchema,
  /** Percentage of the budget; above 100 when overspent. */
  percentage: z.number().check(z.nonnegative()),
  trend: z.enum(["increasing", "decreasing", "stable", "unknown"]),
  /** False also when the costs that are already certain exceed the budget. */
  onTrack: z.boolean(),
  /** Null before three days of data: too little to project from. */
  projectedSpend: z.nullable(usdSchema),
  daysRemaining: z.int(),
});
export type Budget = z.infer<typeof budgetSchema>;

export const budgets = defineCall({
  method: "GET",
  path: "/admin/cost-alerts/budget",
  policy: "read:system",
  summary: "Budgets with what is spent and projected",
  data: z.object({ budgets: z.array(budgetSchema), pauseWhenSpent: z.boolean() }),
});

/**
 * At least the smallest amount the console shows, because a share of nearly nothing is undefined.
 */
const limitUsdSchema = z.number().check(z.minimum(0.0001), z.maximum(1_000_000));

const changesSomething = z.refine<Record<string, unknown>>(
  (change) => Object.values(change).some((value) => value !== undefined),
  "must change something",
);

export const setBudget = defineCall({
  method: "PUT",
  path: "/admin/cost-alerts/budget",
  policy: "write:system",
  summary: "Change the monthly budget, or what happens when it is spent",
  body: z
    .strictObject({
      monthlyUsd: z.optional(limitUsdSchema),
      pauseWhenSpent: z.optional(z.boolean()),
    })
    .check(changesSomething),
  data: z.object({ budgets: z.array(budgetSchema), pauseWhenSpent: z.boolean() }),
});

export const costDaySchema = z.object({
  date: z.iso.date(),
  total: usdSchema,
  workers: usdSchema,
  r2: usdSchema,
  d1: usdSchema,
  kv: usdSchema,
  queues: usdSchema,
});

export const costTrend = defineCall({
  method: "GET",
  path: "/admin/cost-alerts/trend",
  policy: "read:system",
  summary: "Cost per day, and the projection to the end of the month with its formula",
  query: z.strictObject({ days: integerParameter(7, 90, 30) }),
  data: z.object({
    days: z.array(costDaySchema),
    /** Null before three days of data: too little to project from. */
    projectedMonthUsd: z.nullable(usdSchema),
    formula: z.string(),
  }),
});

export const costAlertSchema = z.object({
  id: alertIdSchema,
  type: z.enum(["budget_exceeded", "critical", "warning", "other"]),
  thresholdName: z.string(),
  message: z.string(),
  triggeredAt: instantSchema,
  acknowledged: z.boolean(),
  acknowledgedAt: z.nullable(instantSchema),
  acknowledgedBy: z.nullable(z.string()),
});
export type CostAlert = z.infer<typeof costAlertSchema>;

export const costAlerts = defineCall({
  method: "GET",
  path: "/admin/cost-alerts/alerts",
  policy: "read:system",
  summary: "Cost alerts, newest first",
  query: z.strictObject({ limit: integerParameter(1, 100, 10) }),
  data: z.object({ alerts: z.array(costAlertSchema), unacknowledged: z.int() }),
});

export const thresholdSchema = z.object({
  id: thresholdIdSchema,
  name: z.string(),
  type: z.enum(["budget_exceeded", "critical", "warning", "other"]),
  /** USD per calendar month. */
  threshold: usdSchema,
  /** The limit as a share of the budget; used unless it has an amount of its own. */
  budgetPercent: z.number(),
  hasOwnAmount: z.boolean(),
  currentSpend: usdSchema,
  percentage: z.number().check(z.nonnegative()),
  alertsEnabled: z.boolean(),
  lastTriggered: z.nullable(instantSchema),
});
export type Threshold = z.infer<typeof thresholdSchema>;

export const thresholds = defineCall({
  method: "GET",
  path: "/admin/cost-alerts/thresholds",
  policy: "read:system",
  summary: "The limits that raise alerts",
  data: z.array(thresholdSchema),
});

export const setThreshold = defineCall({
  method: "PUT",
  path: "/admin/cost-alerts/thresholds/{id}",
  policy: "write:system",
  summary: "Change a threshold's limit, or switch its alerts on or off",
  params: z.strictObject({ id: thresholdIdSchema }),
  body: z
    .strictObject({
      /** Null restores the share of the budget. */
      threshold: z.optional(z.nullable(limitUsdSchema)),
      alertsEnabled: z.optional(z.boolean()),
    })
    .check(changesSomething),
  data: thresholdSchema,
});

export const checkAlerts = defineCall({
  method: "GET",
  path: "/admin/cost-alerts/check",
  policy: "read:system",
  summary: "Compare spending with each threshold; a threshold raises one alert per period",
  data: z.object({ hasNewAlerts: z.boolean(), alertCount: z.int() }),
});

export const acknowledgeAlert = defineCall({
  method: "POST",
  path: "/admin/cost-alerts/alerts/{id}/acknowledge",
  policy: "write:system",
  summary: "Acknowledge an alert; only the first acknowledgement is recorded",
  params: z.strictObject({ id: alertIdSchema }),
  data: costAlertSchema,
});
