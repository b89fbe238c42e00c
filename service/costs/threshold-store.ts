import * as z from "zod/mini";
import { thresholdSchema, type Threshold } from "#contract/costs.ts";
import { thresholdIdSchema, type ThresholdId } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { percentageOf } from "./budget-store.ts";
import { roundUsd } from "./cost-lines.ts";

/** A limit that raises one alert a month when the month's cost reaches it. */
export type StoredThreshold = {
  readonly id: ThresholdId;
  readonly name: string;
  readonly type: Threshold["type"];
  readonly limitUsd: number;
  readonly budgetPercent: number;
  readonly hasOwnAmount: boolean;
  readonly alertsEnabled: boolean;
  readonly lastTriggeredAt: number | null;
};

const thresholdRowSchema = z.object({
  id: thresholdIdSchema,
  name: z.string(),
  type: thresholdSchema.shape.type,
  budget_percent: z.number(),
  limit_usd: z.nullable(z.number()),
  alerts_enabled: z.number(),
  last_triggered_at: z.nullable(z.number()),
});

/** Lowest limit first. Limits without an own amount are a share of the budget. */
export async function readThresholds(
  database: Database,
  monthlyBudgetUsd: number,
): Promise<StoredThreshold[]> {
  const rows = await database.all(sql`SELECT * FROM cost_thresholds`);
  return rows
    .map((row) => {
      const threshold = thresholdRowSchema.parse(row);
      return {
        id: threshold.id,
        name: threshold.name,
        type: threshold.type,
        limitUsd:
          threshold.limit_usd ?? roundUsd((monthlyBudgetUsd * threshold.budget_percent) / 100),
        budgetPercent: threshold.budget_percent,
        hasOwnAmount: threshold.limit_usd !== null,
        alertsEnabled: threshold.alerts_enabled === 1,
        lastTriggeredAt: threshold.last_triggered_at,
      };
    })
    .sort((one, other) => one.limitUsd - other.limitUsd);
}

/** Changes only the given fields; an amount of null restores the share of the budget. */
export function changeThreshold(
  id: ThresholdId,
  change: { threshold: number | null | undefined; alertsEnabled: boolean | undefined },
): Statement {
  const limit = change.threshold === undefined ? sql`limit_usd` : sql`${change.threshold}`;
  const enabled = change.alertsEnabled === undefined ? null : Number(change.alertsEnabled);
  return sql`
    UPDATE cost_thresholds SET
      limit_usd = ${limit},
      alerts_enabled = coalesce(${enabled}, alerts_enabled)
    WHERE id = ${id}`;
}

export function describeThreshold(threshold: StoredThreshold, spentUsd: number): Threshold {
  return {
    id: threshold.id,
    name: threshold.name,
    type: threshold.type,
    threshold: threshold.limitUsd,
    budgetPercent: threshold.budgetPercent,
    hasOwnAmount: threshold.hasOwnAmount,
    currentSpend: spentUsd,
    percentage: percentageOf(spentUsd, threshold.limitUsd),
    alertsEnabled: threshold.alertsEnabled,
    lastTriggered:
      threshold.lastTriggeredAt === null ? null : new Date(threshold.lastTriggeredAt).toISOString(),
  };
}
