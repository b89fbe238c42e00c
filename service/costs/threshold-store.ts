import * as z from "zod/mini";
import { thresholdSchema, type Threshold } from "#contract/costs.ts";
import type { ThresholdId } from "#contract/ids.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { percentageOf } from "./budget-store.ts";

const thresholdRow = z.extend(
  z.omit(thresholdSchema, { threshold: true, currentSpend: true, percentage: true }),
  {
    limitUsd: thresholdSchema.shape.threshold,
    hasOwnAmount: flagColumn,
    alertsEnabled: flagColumn,
    lastTriggered: z.nullable(instantColumn),
  },
);

/** A limit that raises one alert a month when the month's cost reaches it; a raised one, another. */
export type StoredThreshold = z.infer<typeof thresholdRow>;

/** Lowest limit first. Limits without an own amount are a share of the budget. */
export async function readThresholds(
  database: Database,
  monthlyBudgetUsd: number,
): Promise<StoredThreshold[]> {
  const rows = await database.all(sql`
    SELECT id, name, type, budget_percent AS budgetPercent, limit_usd IS NOT NULL AS hasOwnAmount,
      coalesce(limit_usd, round(${monthlyBudgetUsd} * budget_percent / 100, 6)) AS limitUsd,
      alerts_enabled AS alertsEnabled, (
        SELECT max(triggered_at) FROM cost_alerts WHERE threshold_id = t.id) AS lastTriggered
    FROM cost_thresholds t ORDER BY limitUsd`);
  return rows.map((row) => thresholdRow.parse(row));
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

export function describeThreshold(
  { limitUsd, ...threshold }: StoredThreshold,
  spentUsd: number,
): Threshold {
  return {
    ...threshold,
    threshold: limitUsd,
    currentSpend: spentUsd,
    percentage: percentageOf(spentUsd, limitUsd),
  };
}
