import {
  budgets,
  checkAlerts,
  costAlerts,
  costBreakdown,
  thresholds,
  type CostBreakdown,
} from "#contract/costs.ts";
import { dashboardStats } from "#contract/dashboard.ts";
import { answerSystem } from "./answer-system.ts";
import { answerUploads } from "./answer-uploads.ts";
import { buildBudget } from "./build-budget.ts";
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
  storage: { used: 3 * 1024 ** 3, free: null, percentage: 12.34, trashBytes: 0 },
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
  return {
    total: 0,
    workers: 0,
    r2Storage: 0,
    r2Operations: 0,
    r2Transfer: 0,
    d1Database: 0,
    d1Operations: 0,
    kvOperations: 0,
    queueOperations: 0,
    lastUpdated: "2026-11-23T12:00:00.000Z",
    periodStart: "2026-11-01",
    periodEnd: "2026-11-30",
    pricesAsOf: "2026-11-01",
    isHypothetical: false,
    usage: [],
  };
}
