import type { Migration } from "../migration.ts";

/** Metered use, and the thresholds whose alerts it raises. */
export const costs: Migration = {
  name: "0008-costs",
  statements: [
    // One row per UTC day, so that a flush of the meter writes one row. Columns ending in `_peak`
    // hold the day's maximum, the others sums.
    `CREATE TABLE usage_days (
      day TEXT PRIMARY KEY,
      worker_requests REAL NOT NULL,
      worker_cpu_ms REAL NOT NULL,
      durable_object_requests REAL NOT NULL,
      class_a_operations REAL NOT NULL,
      class_b_operations REAL NOT NULL,
      egress_bytes REAL NOT NULL,
      stored_bytes_peak REAL NOT NULL,
      rows_read REAL NOT NULL,
      rows_written REAL NOT NULL,
      database_bytes_peak REAL NOT NULL,
      kv_reads REAL NOT NULL,
      kv_writes REAL NOT NULL,
      kv_deletes REAL NOT NULL,
      kv_lists REAL NOT NULL,
      queue_operations REAL NOT NULL,
      updated_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE TABLE cost_thresholds (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      type TEXT NOT NULL CHECK (type IN ('budget_exceeded', 'critical', 'warning', 'other')),
      budget_percent REAL NOT NULL,
      limit_usd REAL CHECK (limit_usd > 0),    -- null: budget_percent of the monthly budget
      alerts_enabled INTEGER NOT NULL DEFAULT 1
    ) WITHOUT ROWID`,
    `INSERT INTO cost_thresholds (id, name, type, budget_percent) VALUES
      ('budget-50', 'Early warning', 'warning', 50),
      ('budget-75', 'Warning', 'warning', 75),
      ('budget-90', 'Critical', 'critical', 90),
      ('budget-100', 'Budget spent', 'budget_exceeded', 100)`,
    // One for each limit of a threshold and month, so that a raised limit is watched again.
    `CREATE TABLE cost_alerts (
      seq INTEGER PRIMARY KEY,
      threshold_id TEXT NOT NULL REFERENCES cost_thresholds (id),
      period TEXT NOT NULL,                    -- the month, e.g. 2026-11
      limit_usd REAL,                          -- that was reached
      type TEXT NOT NULL,
      threshold_name TEXT NOT NULL,
      message TEXT NOT NULL,
      triggered_at INTEGER NOT NULL,
      acknowledged_at INTEGER,
      acknowledged_by TEXT REFERENCES users (id),
      UNIQUE (threshold_id, period, limit_usd)
    )`,
  ],
};
