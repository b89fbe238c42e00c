import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { readBudget } from "./budget-store.ts";
import { readMonthCost } from "./month-cost.ts";
import { formatUsd } from "./usd-text.ts";

/**
 * Call before accepting a new archive. Archives already accepted continue, because stopping one
 * halfway would waste its cost so far.
 *
 * @throws {ApiError} `conflict` when the budget is spent and administrators chose to pause then.
 */
export async function assertBudgetAllows(
  context: Pick<ServiceContext, "platform" | "settings">,
): Promise<void> {
  const budget = await readBudget(context);
  if (!budget.pauseWhenSpent) return;
  const month = await readMonthCost(context);
  if (month.totalUsd < budget.monthlyUsd) return;
  throw new ApiError(
    "conflict",
    `New archives are paused: this month's budget of ${formatUsd(budget.monthlyUsd)} is spent. ` +
      "Raise the budget or switch the pause off in the cost panel.",
  );
}
