import type { Migration } from "../migration.ts";

/** One cost alert for each limit of a threshold and month, so that a raised limit is watched again. */
export const alertLimits: Migration = {
  name: "0020-alert-limits",
  statements: [
    `CREATE TABLE cost_alerts_by_limit (
      seq INTEGER PRIMARY KEY,
      threshold_id TEXT NOT NULL REFERENCES cost_thresholds (id),
      period TEXT NOT NULL,                      -- the month, e.g. 2026-11
      limit_usd REAL,                            -- that was reached; NULL counts as any
      type TEXT NOT NULL,
      threshold_name TEXT NOT NULL,
      message TEXT NOT NULL,
      triggered_at INTEGER NOT NULL,
      acknowledged_at INTEGER,
      acknowledged_by TEXT REFERENCES users (id),
      UNIQUE (threshold_id, period, limit_usd)
    )`,
    `INSERT INTO cost_alerts_by_limit (seq, threshold_id, period, type, threshold_name, message,
        triggered_at, acknowledged_at, acknowledged_by)
      SELECT seq, threshold_id, period, type, threshold_name, message, triggered_at,
        acknowledged_at, acknowledged_by
      FROM cost_alerts`,
    `DROP TABLE cost_alerts`,
    `ALTER TABLE cost_alerts_by_limit RENAME TO cost_alerts`,
  ],
};
