import * as z from "zod/mini";
import { costAlertSchema, type CostAlert } from "#contract/costs.ts";
import { alertIdSchema, type AlertId, type UserId } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
import type { StoredThreshold } from "./threshold-store.ts";

const alertRowSchema = z.object({
  seq: z.number(),
  type: costAlertSchema.shape.type,
  threshold_name: z.string(),
  message: z.string(),
  triggered_at: z.number(),
  acknowledged_at: z.nullable(z.number()),
  acknowledged_by_name: z.nullable(z.string()),
});

const SELECT_ALERT = sql`
  SELECT a.seq, a.type, a.threshold_name, a.message, a.triggered_at, a.acknowledged_at,
    u.display_name AS acknowledged_by_name
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
    alerts: rows.map(readAlert),
    unacknowledged: z.object({ count: z.number() }).parse(open).count,
  };
}

export async function findAlert(database: Database, id: AlertId): Promise<CostAlert | null> {
  const [row] = await database.all(sql`${SELECT_ALERT} WHERE a.seq = ${sequenceOf(id)}`);
  return row === undefined ? null : readAlert(row);
}

/** Changes nothing if this threshold already has an alert in this month. */
export function insertAlert(
  threshold: StoredThreshold,
  period: string,
  message: string,
  atMs: number,
): Statement {
  return sql`
    INSERT INTO cost_alerts (threshold_id, period, type, threshold_name, message, triggered_at)
    VALUES (${threshold.id}, ${period}, ${threshold.type}, ${threshold.name}, ${message}, ${atMs})
    ON CONFLICT (threshold_id, period) DO NOTHING`;
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

function readAlert(row: Row): CostAlert {
  const alert = alertRowSchema.parse(row);
  return {
    id: alertIdSchema.parse(String(alert.seq)),
    type: alert.type,
    thresholdName: alert.threshold_name,
    message: alert.message,
    triggeredAt: new Date(alert.triggered_at).toISOString(),
    acknowledged: alert.acknowledged_at !== null,
    acknowledgedAt:
      alert.acknowledged_at === null ? null : new Date(alert.acknowledged_at).toISOString(),
    acknowledgedBy: alert.acknowledged_by_name,
  };
}
