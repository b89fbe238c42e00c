import type { Migration } from "../migration.ts";

/**
 * The audit log and its seals, the log, health, costs.
 *
 * SQLite cannot hash, so an audit entry and its seal are two writes: the entry is in the batch of the
 * change it records, the seal follows within seconds.
 */
export const operation: Migration = {
  name: "0004-operation",
  statements: [
    `CREATE TABLE IF NOT EXISTS audit (
      seq INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      actor_id TEXT,
      action TEXT NOT NULL,
      target TEXT,
      result TEXT NOT NULL CHECK (result IN ('done', 'refused')),
      reason TEXT,
      before TEXT,
      after TEXT,
      request_id TEXT,
      address TEXT,                            -- removed earlier than the entry
      repeat_key TEXT,                         -- entries with the same key share one row with a count
      count INTEGER NOT NULL DEFAULT 1,
      last_at INTEGER
    )`,
    `CREATE UNIQUE INDEX IF NOT EXISTS audit_repeat ON audit (repeat_key)
      WHERE repeat_key IS NOT NULL`,
    `CREATE TRIGGER IF NOT EXISTS audit_kept BEFORE DELETE ON audit
      WHEN old.seq > coalesce((SELECT seq FROM audit_marks WHERE name = 'checkpoint'), 0) BEGIN
      SELECT RAISE(ABORT, 'audit entries after the checkpoint are never deleted');
    END`,
    `CREATE TRIGGER IF NOT EXISTS audit_unchanged BEFORE UPDATE OF
      seq, at, actor_id, action, target, result, reason, before, after, request_id ON audit BEGIN
      SELECT RAISE(ABORT, 'audit entries are never changed');
    END`,
    `CREATE TABLE IF NOT EXISTS audit_seals (
      seq INTEGER PRIMARY KEY,                 -- of the sealed audit row
      hash TEXT NOT NULL                       -- SHA-256 over the seal before and the row's content
    )`,
    // The newest sealed entry (head) and the newest removed one (checkpoint), with their seals.
    `CREATE TABLE IF NOT EXISTS audit_marks (
      name TEXT PRIMARY KEY CHECK (name IN ('head', 'checkpoint')),
      seq INTEGER NOT NULL,
      hash TEXT NOT NULL,
      signature TEXT NOT NULL                  -- HMAC under a key derived from SECRET_KEY
    ) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS refusal_counts (
      kind TEXT NOT NULL,
      minute_at INTEGER NOT NULL,              -- when the minute began
      prefix TEXT NOT NULL,                    -- of the clients' addresses, or 'other'
      count INTEGER NOT NULL,
      PRIMARY KEY (kind, minute_at, prefix)
    ) WITHOUT ROWID`,
    `CREATE INDEX IF NOT EXISTS audit_done_at ON audit (at) WHERE result = 'done'`,
    `CREATE TABLE IF NOT EXISTS logs (
      seq INTEGER PRIMARY KEY,
      level TEXT NOT NULL CHECK (level IN ('error', 'warn', 'info', 'debug')),
      at INTEGER NOT NULL,
      message TEXT NOT NULL,
      meta TEXT
    )`,
    `CREATE INDEX IF NOT EXISTS logs_level ON logs (level, seq)`,
    // Pending uploads that a ban still has to cancel.
    `CREATE TABLE IF NOT EXISTS ban_cancellations (
      upload_id TEXT PRIMARY KEY,
      actor_id TEXT NOT NULL,                  -- who banned
      request_id TEXT NOT NULL
    ) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS heartbeats (
      name TEXT PRIMARY KEY,
      at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    // Written every few seconds by the host that runs the probes, read by all.
    `CREATE TABLE IF NOT EXISTS health_probes (
      component TEXT PRIMARY KEY,
      status TEXT NOT NULL CHECK (status IN ('healthy', 'degraded', 'unhealthy', 'unknown')),
      detail TEXT,                             -- why it is not healthy, in a sentence
      failures INTEGER NOT NULL DEFAULT 0,     -- in a row
      since_at INTEGER NOT NULL,               -- of the present status
      checked_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS deployment (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      deployment_id TEXT NOT NULL
    )`,
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
  ],
};
