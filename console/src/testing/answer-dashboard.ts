import {
  budgets,
  budgetSchema,
  checkAlerts,
  costAlerts,
  costBreakdown,
  costBreakdownSchema,
  thresholds,
  type Budget,
  type CostBreakdown,
} from "#contract/costs.ts";
import { dashboardStats } from "#contract/dashboard.ts";
import { build } from "#contract/testing/build.ts";
import { answerSystem } from "./answer-system.ts";
import { answerUploads } from "./answer-uploads.ts";
import type { scriptService } from "./scripted-service.ts";

export const STATS = {
  uploads: {
    total: 102,
    today: 7,
    completed: 50,
    processing: 5,
    failed: 20,
    pending: 25,
  },
  users: { active: 30, total: 45 },
  storage: { used: 3 * 1024 ** 3, free: null, percentage: 12.34, trashBytes: 0, bytesPerDay: null },
};

/** Answers what the dashboard asks for: nothing runs, and nothing costs anything. */
export function answerDashboard(service: ReturnType<typeof scriptService>): void {
  const { answer } = service;
  answerSystem(service);
  answerUploads(service);
  answer(dashboardStats, () => STATS);
  answer(costBreakdown, sampleBreakdown);
  answer(budgets, () => ({ pauseWhenSpent: false, budgets: [buildBudget()] }));
  answer(thresholds, () => []);
  answer(costAlerts, () => ({ alerts: [], unacknowledged: 0 }));
  answer(checkAlerts, () => ({ hasNewAlerts: false, alertCount: 0 }));
}

export function sampleBreakdown(): CostBreakdown {
  return build(costBreakdownSchema, {
    lastUpdated: "2026-11-23T12:00:00.000Z",
    periodStart: "2026-11-01",
    periodEnd: "2026-11-30",
    pricesAsOf: "2026-11-01",
  });
}

/** The monthly budget, of which nothing is spent. */
export function buildBudget(overrides: Partial<Budget> = {}): Budget {
  return build(budgetSchema, {
    period: "monthly",
    budget: 50,
    remaining: 50,
    trend: "unknown",
    onTrack: true,
    daysRemaining: 7,
    ...overrides,
  });
}
