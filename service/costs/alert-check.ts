import { recordedChange } from "#service/changes/recorded-change.ts";
import type { Actor } from "#service/http/route.ts";
import type { ServiceContext } from "#service/context.ts";
import { insertAlert } from "./alert-store.ts";
import { isUnbilled } from "#service/deployment.ts";
import { readBudget } from "./budget-store.ts";
import { readMonthCost, type MonthCost } from "./month-cost.ts";
import { readThresholds, type StoredThreshold } from "./threshold-store.ts";
import { formatUsd } from "./usd-text.ts";

/** For when no console is open; an open console checks as often (docs/console.md#intervals). */
const CHECK_EVERY_MS = 300_000;

export function scheduleAlertCheck(context: ServiceContext): void {
  context.platform.scheduler.every(CHECK_EVERY_MS, "cost alerts", async () => {
    await checkThresholds(context);
  });
}

/**
 * Raises an alert for every threshold that this month's cost has reached. Idempotent and safe to
 * run concurrently: the database keeps one alert per threshold and month, and another for a raised limit.
 *
 * @returns the number of new alerts.
 */
export async function checkThresholds(
  context: ServiceContext,
  requested: Actor | null = null,
): Promise<number> {
  const { database } = context.platform;
  const [budget, month] = await Promise.all([readBudget(context), readMonthCost(context)]);
  // Shares of a budget that nobody chose, for a cloud that nobody uses, concern nobody.
  const needsOwnAmount = budget.isDefault && isUnbilled(context);
  const reached = (await readThresholds(database, budget.monthlyUsd)).filter(
    ({ alertsEnabled, hasOwnAmount, limitUsd }) =>
      alertsEnabled && (hasOwnAmount || !needsOwnAmount) && month.totalUsd >= limitUsd,
  );
  let raised = 0;
  for (const threshold of reached) {
    const [inserted] = await database.batch(raiseAlert(threshold, month, requested));
    raised += inserted?.changes ?? 0;
  }
  return raised;
}

function raiseAlert(threshold: StoredThreshold, month: MonthCost, requested: Actor | null) {
  const { nowMs, period } = month;
  const message =
    `${period.name}: ${formatUsd(month.totalUsd)} spent, which reaches ` +
    `"${threshold.name}" at ${formatUsd(threshold.limitUsd)}.`;
  return recordedChange(insertAlert(threshold, period.name, message, nowMs), nowMs, {
    audit: {
      actorId: requested?.actorId ?? null,
      action: "cost.alert",
      target: threshold.id,
      after: { period: period.name, spentUsd: month.totalUsd, limitUsd: threshold.limitUsd },
      requestId: requested?.requestId ?? null,
      token: requested?.token ?? null,
    },
    event: {
      type: threshold.type === "budget_exceeded" ? "budget_exceeded" : "budget_warning",
      subject: threshold.id,
      title:
        threshold.type === "budget_exceeded"
          ? "This month's budget is spent"
          : `Cost reached "${threshold.name}"`,
      body: message,
      link: "/",
    },
  });
}
