import * as z from "zod/mini";
import type { Budget } from "#contract/costs.ts";
import type { ServiceContext } from "#service/context.ts";
import { DEFAULT_MONTHLY_BUDGET_USD } from "#service/settings.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { DAY_MS } from "./billing-period.ts";
import { directionOf } from "./cost-analysis.ts";
import type { MonthCost } from "./month-cost.ts";
import { roundUsd } from "./cost-lines.ts";

export type StoredBudget = {
  readonly monthlyUsd: number;
  readonly pauseWhenSpent: boolean;
  /** Nobody chose it, in the console or in the settings. */
  readonly isDefault: boolean;
};

const budgetRowSchema = z.object({
  budget_usd: z.nullable(z.number()),
  pauses_when_spent: z.number(),
});

/** The stored budget, or the one from the settings. */
export async function readBudget(
  context: Pick<ServiceContext, "platform" | "settings">,
): Promise<StoredBudget> {
  const [row] = await context.platform.database.all(
    sql`SELECT budget_usd, pauses_when_spent FROM deployment`,
  );
  const fallbackUsd = context.settings.MONTHLY_BUDGET_USD;
  const isDefault = fallbackUsd === DEFAULT_MONTHLY_BUDGET_USD;
  const stored = budgetRowSchema.parse(row);
  return {
    monthlyUsd: stored.budget_usd ?? fallbackUsd,
    pauseWhenSpent: stored.pauses_when_spent === 1,
    isDefault: isDefault && stored.budget_usd === null,
  };
}

/** Changes only the given fields, so that concurrent changes to different fields both persist. */
export function changeBudget(change: {
  monthlyUsd: number | undefined;
  pauseWhenSpent: boolean | undefined;
}): Statement {
  const monthlyUsd = change.monthlyUsd ?? null;
  const pause = change.pauseWhenSpent === undefined ? null : Number(change.pauseWhenSpent);
  return sql`
    UPDATE deployment SET budget_usd = coalesce(${monthlyUsd}, budget_usd),
      pauses_when_spent = coalesce(${pause}, pauses_when_spent)`;
}

/** The budget as the console shows it. */
export function describeBudget(
  { monthlyUsd }: Pick<StoredBudget, "monthlyUsd">,
  month: MonthCost,
): Budget {
  const spent = month.totalUsd;
  const { monthUsd, floorUsd } = month.projection;
  return {
    period: "monthly",
    budget: monthlyUsd,
    spent,
    remaining: roundUsd(monthlyUsd - spent),
    percentage: percentageOf(spent, monthlyUsd),
    trend: directionOf(month),
    onTrack: (monthUsd ?? floorUsd) <= monthlyUsd,
    projectedSpend: monthUsd,
    daysRemaining: Math.ceil((month.period.endAt - month.nowMs) / DAY_MS),
  };
}

/** Rounded to a tenth; above 100 when overspent. */
export function percentageOf(spentUsd: number, limitUsd: number): number {
  return Math.round((spentUsd / limitUsd) * 1_000) / 10;
}
