import { budgets, costAlerts, costBreakdown, costTrend, thresholds } from "#contract/costs.ts";
import { ago } from "./ago.ts";
import { BUDGET, PERIOD } from "./answer-dashboard.ts";
import type { scriptService } from "./scripted-service.ts";

/** Answers with costs near their budget, and with alerts. */
export function answerCostsFull({ answer }: ReturnType<typeof scriptService>): void {
  answer(costBreakdown, () => ({
    ...PERIOD,
    total: 37.5,
    workers: 5,
    r2Storage: 12.2,
    r2Operations: 15.1,
    d1Database: 3.1,
    d1Operations: 2,
    kvOperations: 0.1,
    lastUpdated: ago(1),
    usage: [
      {
        product: "R2",
        name: "Storage",
        used: 815,
        included: 10,
        unit: "GB-months",
        costUsd: 12.2,
      },
      { product: "D1", name: "Rows read", used: 9e6, included: 5e6, unit: "rows", costUsd: 2 },
    ],
  }));
  answer(budgets, () => ({
    budgets: [
      {
        ...BUDGET,
        spent: 37.5,
        remaining: 12.5,
        percentage: 75,
        trend: "increasing",
        onTrack: false,
        projectedSpend: 51.2,
      },
    ],
  }));
  answer(thresholds, () =>
    (["warning", "critical", "budget_exceeded"] as const).map((type, index) => ({
      id: type,
      name: ["Warning", "Critical", "Budget exceeded"][index],
      type,
      threshold: [37.5, 45, 50][index],
      budgetPercent: [75, 90, 100][index],
      hasOwnAmount: index === 1,
      currentSpend: 37.5,
      percentage: [100, 83.3, 75][index],
      alertsEnabled: index !== 2,
      lastTriggered: index === 0 ? ago(200) : null,
    })),
  );
  const alert = {
    type: "warning" as const,
    thresholdName: "Warning",
    message: "Spending has reached $37.50, 75% of the budget.",
  };
  answer(costAlerts, () => ({
    unacknowledged: 1,
    alerts: [
      { ...alert, id: "new", triggeredAt: ago(200) },
      {
        ...alert,
        id: "old",
        triggeredAt: ago(44_000),
        acknowledged: true,
        acknowledgedAt: ago(43_000),
        acknowledgedBy: "Avery Admin",
      },
    ],
  }));
  answer(costTrend, () => ({
    days: Array.from({ length: 35 }, (_day, index) => ({
      date: ago((34 - index) * 1_440).slice(0, 10),
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
