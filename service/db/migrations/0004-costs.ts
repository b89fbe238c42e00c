import type { Migration } from "../migration.ts";

/** The ledger of metered usage, the budget, its thresholds and the alerts they raised. */
export const costs: Migration = {
  name: "0004-costs",
  statements: [
    // One row per UTC day and source, so that a flush of the meter writes one row. Columns ending
    // in `_peak` hold the day's maximum, the others sums. Null means that this source has no value.
    `CREATE TABLE IF NOT EXISTS usage_days (
      day TEXT NOT NULL,
      source TEXT NOT NULL CHECK (source IN ('metered', 'reconciled')),
      worker_requests REAL,
      worker_cpu_ms REAL,
      durable_object_requests REAL,
      class_a_operations REAL,
      class_b_operations REAL,
      egress_bytes REAL,
      stored_bytes_peak REAL,
      rows_read REAL,
      rows_written REAL,
      database_bytes_peak REAL,
      kv_reads REAL,
      kv_writes REAL,
      kv_deletes REAL,
      kv_lists REAL,
      queue_operations REAL,
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (day, source)
    ) WITHOUT ROWID`,
    // At most one row; absent until someone changes the budget from the settings.
    `CREATE TABLE IF NOT EXISTS cost_budget (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      monthly_usd REAL CHECK (monthly_usd > 0),  -- null: the setting's
      pause_when_spent INTEGER NOT NULL DEFAULT 0
    )`,
    `CREATE TABLE IF NOT EXISTS cost_thresholds (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      type TEXT NOT NULL CHECK (type IN ('budget_exceeded', 'critical', 'warning', 'other')),
      budget_percent REAL NOT NULL,
      limit_usd REAL CHECK (limit_usd > 0),      -- null: budget_percent of the monthly budget
      alerts_enabled INTEGER NOT NULL DEFAULT 1,
      last_triggered_at INTEGER
    ) WITHOUT ROWID`,
    `INSERT OR IGNORE INTO cost_thresholds (id, name, type, budget_percent) VALUES
      ('budget-50', 'Early warning', 'warning', 50),
      ('budget-75', 'Warning', 'warning', 75),
      ('budget-90', 'Critical', 'critical', 90),
      ('budget-100', 'Budget spent', 'budget_exceeded', 100)`,
    `CREATE TABLE IF NOT EXISTS cost_alerts (
      seq INTEGER PRIMARY KEY,
      threshold_id TEXT NOT NULL REFERENCES cost_thresholds (id),
      period TEXT NOT NULL,                      -- the month, e.g. 2026-11
      type TEXT NOT NULL,
      threshold_name TEXT NOT NULL,
      message TEXT NOT NULL,
      triggered_at INTEGER NOT NULL,
      acknowledged_at INTEGER,
      acknowledged_by TEXT REFERENCES users (id),
      UNIQUE (threshold_id, period)              -- one alert, however many check at once
    )`,
    `CREATE INDEX IF NOT EXISTS cost_alerts_open ON cost_alerts (seq) WHERE acknowledged_at IS NULL`,
    // Unfinished multiparts use billed storage; there are few at a time, so summing them is cheap.
    `CREATE INDEX IF NOT EXISTS uploads_multipart ON uploads (id) WHERE multipart_id IS NOT NULL`,
  ],
};
