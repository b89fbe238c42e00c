import * as z from "zod/mini";
import { costAlertSchema, type CostAlert } from "#contract/costs.ts";
import type { AlertId, UserId } from "#contract/ids.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { StoredThreshold } from "./threshold-store.ts";

const alertRow = z.extend(costAlertSchema, {
  triggeredAt: instantColumn,
  acknowledged: flagColumn,
  acknowledgedAt: z.nullable(instantColumn),
});

const SELECT_ALERT = sql`
  SELECT CAST(a.seq AS TEXT) AS id, a.type, a.threshold_name AS thresholdName, a.message,
    a.triggered_at AS triggeredAt, a.acknowledged_at IS NOT NULL AS acknowledged,
    a.acknowledged_at AS acknowledgedAt, u.display_name AS acknowledgedBy
  FROM cost_alerts a LEFT JOIN users u ON u.id = a.acknowledged_by`;

/** Newest first. */
export async function readAlerts(
  database: Database,
  limit: number,
): Promise<{ alerts: CostAlert[]; unacknowledged: number }> {
  const [rows, [open]] = await Promise.all([
    database.all(sql`${SELECT_ALERT} ORDER BY a.seq DESC LIMIT ${limit}`),
    database.all(sql`SELECT count(*) AS count FROM cost_alerts WHERE acknowledged_at IS NULL`),
  ]);
  return {
    alerts: rows.map((row) => alertRow.parse(row)),
    unacknowledged: z.object({ count: z.number() }).parse(open).count,
  };
}

export async function findAlert(database: Database, id: AlertId): Promise<CostAlert | null> {
  const [row] = await database.all(sql`${SELECT_ALERT} WHERE a.seq = ${sequenceOf(id)}`);
  return row === undefined ? null : alertRow.parse(row);
}

/** Changes nothing if the threshold already has an alert in this month, at this or a higher limit. */
export function insertAlert(
  threshold: StoredThreshold,
  period: string,
  message: string,
  atMs: number,
): Statement {
  return sql`
    INSERT INTO cost_alerts
      (threshold_id, period, limit_usd, type, threshold_name, message, triggered_at)
    SELECT ${threshold.id}, ${period}, ${threshold.limitUsd}, ${threshold.type}, ${threshold.name},
      ${message}, ${atMs}
    WHERE NOT EXISTS (SELECT 1 FROM cost_alerts
      WHERE threshold_id = ${threshold.id} AND period = ${period}
        AND (limit_usd IS NULL OR limit_usd >= ${threshold.limitUsd}))`;
}

/** Changes nothing if it was acknowledged already. */
export function acknowledge(id: AlertId, userId: UserId, atMs: number): Statement {
  return sql`
    UPDATE cost_alerts SET acknowledged_at = ${atMs}, acknowledged_by = ${userId}
    WHERE seq = ${sequenceOf(id)} AND acknowledged_at IS NULL`;
}

/** Ids are row numbers as text; any other text matches no alert. */
function sequenceOf(id: AlertId): number {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0;
}
