import { budgets, costBreakdown } from "#contract/costs.ts";
import { dashboardStats } from "#contract/dashboard.ts";
import type { scriptService } from "./scripted-service.ts";

const STATS = {
  uploads: { total: 102, today: 7, completed: 50, processing: 5, failed: 20, pending: 25 },
  users: { active: 30, total: 45 },
  storage: { used: 3 * 1024 ** 3, percentage: 12.34 },
};

/** Answers with figures that cost nothing yet, and with a budget. */
export function answerDashboard({ answer }: ReturnType<typeof scriptService>): void {
  answer(dashboardStats, () => STATS);
  answer(costBreakdown, () => PERIOD);
  answer(budgets, () => ({ budgets: [BUDGET] }));
}

/** What the costs are of. */
export const PERIOD = {
  lastUpdated: "2026-11-23T12:00:00.000Z",
  periodStart: "2026-11-01",
  periodEnd: "2026-11-30",
  pricesAsOf: "2026-11-01",
};

/** The monthly budget, of which nothing is spent. */
export const BUDGET = {
  period: "monthly",
  budget: 50,
  remaining: 50,
  trend: "unknown",
  onTrack: true,
  daysRemaining: 7,
} as const;
