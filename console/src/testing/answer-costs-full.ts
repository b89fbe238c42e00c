import { budgets, costAlerts, costBreakdown, costTrend, thresholds } from "#contract/costs.ts";
import { alertIdSchema, thresholdIdSchema } from "#contract/ids.ts";
import { ago } from "./ago.ts";
import { sampleBreakdown } from "./answer-dashboard.ts";
import { buildBudget } from "./answer-dashboard.ts";
import type { scriptService } from "./scripted-service.ts";

/** The dates of this many days, the last of which is today. */
function daysUntilToday(count: number): readonly string[] {
  return Array.from({ length: count }, (_day, index) =>
    ago((count - 1 - index) * 1_440).slice(0, 10),
  );
}

function usageOf(
  product: "R2" | "D1",
  name: string,
  used: number,
  included: number,
  unit: string,
  costUsd: number,
) {
  return { product, name, used, included, unit, costUsd };
}

/** Answers with costs near their budget, and with alerts. */
export function answerCostsFull({ answer }: ReturnType<typeof scriptService>): void {
  answer(costBreakdown, () => ({
    ...sampleBreakdown(),
    total: 37.5,
    workers: 5,
    r2Storage: 12.2,
    r2Operations: 15.1,
    d1Database: 3.1,
    d1Operations: 2,
    kvOperations: 0.1,
    lastUpdated: ago(1),
    usage: [
      usageOf("R2", "Storage", 815, 10, "GB-months", 12.2),
      usageOf("D1", "Rows read", 9e6, 5e6, "rows", 2),
    ],
  }));
  answer(budgets, () => ({
    pauseWhenSpent: false,
    budgets: [
      buildBudget({
        spent: 37.5,
        remaining: 12.5,
        percentage: 75,
        trend: "increasing",
        onTrack: false,
        projectedSpend: 51.2,
      }),
    ],
  }));
  answer(thresholds, () =>
    (["warning", "critical", "budget_exceeded"] as const).map((type, index) => ({
      id: thresholdIdSchema.parse(type),
      name: ["Warning", "Critical", "Budget exceeded"][index] ?? type,
      type,
      threshold: [37.5, 45, 50][index] ?? 50,
      budgetPercent: [75, 90, 100][index] ?? 100,
      hasOwnAmount: index === 1,
      currentSpend: 37.5,
      percentage: [100, 83.3, 75][index] ?? 75,
      alertsEnabled: index !== 2,
      lastTriggered: index === 0 ? ago(200) : null,
    })),
  );
  answer(costAlerts, () => ({
    unacknowledged: 1,
    alerts: [200, 44_000].map((minutes) => ({
      id: alertIdSchema.parse(`alert${minutes}`),
      type: "warning" as const,
      thresholdName: "Warning",
      message: "Spending has reached $37.50, 75% of the budget.",
      triggeredAt: ago(minutes),
      acknowledged: minutes > 200,
      acknowledgedAt: minutes > 200 ? ago(43_000) : null,
      acknowledgedBy: minutes > 200 ? "Avery Admin" : null,
    })),
  }));
  answer(costTrend, () => ({
    days: daysUntilToday(35).map((date, index) => ({
      date,
      total: 1.5 + index / 100,
      workers: 0.2,
      r2: 1.1 + index / 100,
      d1: 0.15,
      kv: 0.03,
      queues: 0.02,
    })),
    projectedMonthUsd: 51.2,
    formula: "37.50 spent and 7 days of 1.96 on average.",
  }));
}
