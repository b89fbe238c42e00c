import { BATCH_REQUIREMENTS_TABLE } from "../batch-if.ts";
import type { Migration } from "../migration.ts";

const USAGE_COLUMNS = [
  "worker_requests",
  "worker_cpu_ms",
  "durable_object_requests",
  "class_a_operations",
  "class_b_operations",
  "egress_bytes",
  "stored_bytes_peak",
  "rows_read",
  "rows_written",
  "database_bytes_peak",
  "kv_reads",
  "kv_writes",
  "kv_deletes",
  "kv_lists",
  "queue_operations",
];

/**
 * Batches under a condition, one row of usage per day, and the end of uploads that were sent in
 * parallel pieces. The version before cannot run on this schema.
 */
export const fewerTables: Migration = {
  name: "0008-fewer-tables",
  statements: [
    BATCH_REQUIREMENTS_TABLE,
    `ALTER TABLE sessions RENAME COLUMN previous_bearer_hash TO bearer_family_hash`,
    `INSERT INTO store_removals (object_key, not_before_at) SELECT object_key, 0 FROM staged_pieces`,
    `DROP TABLE composed_uploads`,
    `DROP TABLE staged_pieces`,
    `DROP TABLE staged_uploads`,
    `DROP TABLE heartbeats`,
    `ALTER TABLE cost_thresholds DROP COLUMN last_triggered_at`,
    // One row per UTC day, so that a flush of the meter writes one row. Columns ending in `_peak`
    // hold the day's maximum, the others sums.
    `CREATE TABLE metered_days (
      day TEXT PRIMARY KEY,
      ${USAGE_COLUMNS.map((name) => `${name} REAL NOT NULL`).join(", ")},
      updated_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `INSERT INTO metered_days SELECT day, ${USAGE_COLUMNS.map((name) => `coalesce(${name}, 0)`).join(", ")},
      updated_at FROM usage_days WHERE source = 'metered'`,
    `DROP TABLE usage_days`,
    `ALTER TABLE metered_days RENAME TO usage_days`,
  ],
};
