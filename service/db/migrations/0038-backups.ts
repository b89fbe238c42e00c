import type { Migration } from "../migration.ts";

/** What is known of the backups in the store (backups/backup-record.ts), and the event of failures. */
export const backups: Migration = {
  name: "0038-backups",
  statements: [
    `CREATE TABLE backup_record (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      made_at INTEGER,                         -- the last one
      size_bytes INTEGER,
      kept INTEGER NOT NULL DEFAULT 0,         -- in the store, after the last one
      kept_bytes INTEGER NOT NULL DEFAULT 0,
      failing_since_at INTEGER,                -- null after a success
      error TEXT,
      is_announced INTEGER NOT NULL DEFAULT 0,
      tested_at INTEGER,                       -- the last restore test that succeeded
      tested_made_at INTEGER,                  -- the backup that it restored
      tested_uploads INTEGER,
      tested_files INTEGER,
      test_tried_at INTEGER,
      test_failed_at INTEGER,                  -- when a backup was first found damaged; null after a success
      test_error TEXT                          -- of the last test; null after a success
    )`,
    `INSERT INTO backup_record (id) VALUES (1)`,
    // Preferences that people saved name every event that is sent.
    `UPDATE notification_preferences SET enabled_events = json_set(enabled_events,
      '$.backup_failed', json('["browser"]'))`,
  ],
};
