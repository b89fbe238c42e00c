import { BATCH_REQUIREMENTS_TABLE } from "../batch-if.ts";
import type { Migration } from "../migration.ts";

/** The deployment, its log, health, load and backups. */
export const system: Migration = {
  name: "0007-system",
  statements: [
    BATCH_REQUIREMENTS_TABLE,
    `CREATE TABLE deployment (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      deployment_id TEXT NOT NULL,
      -- Null until this deployment's mark was seen in, or written to, the store.
      store_claimed_at INTEGER,
      -- Of the copies of this database the one with the highest may use the store (store-owner.ts).
      generation INTEGER NOT NULL DEFAULT 0,
      store_instance TEXT,                     -- as in the owner mark that this copy wrote last
      -- Of the real Twitch's application; null as long as the stand-in played Twitch.
      twitch_client_id TEXT,
      key_fingerprint TEXT                     -- of the SECRET_KEY (secrets/key-fingerprint.ts)
    )`,
    `CREATE TABLE logs (
      seq INTEGER PRIMARY KEY,
      level TEXT NOT NULL CHECK (level IN ('error', 'warn', 'info', 'debug')),
      at INTEGER NOT NULL,
      message TEXT NOT NULL,
      meta TEXT
    )`,
    // Written every few seconds by the host that runs the probes, read by all.
    `CREATE TABLE health_probes (
      component TEXT PRIMARY KEY,
      status TEXT NOT NULL CHECK (status IN ('healthy', 'degraded', 'unhealthy', 'unknown')),
      detail TEXT,                             -- why it is not healthy, in a sentence
      failures INTEGER NOT NULL DEFAULT 0,     -- in a row
      since_at INTEGER NOT NULL,               -- of the present status
      checked_at INTEGER NOT NULL,
      -- JSON: answers, and names of what was sent; only of the component \`twitch\`.
      fingerprint TEXT
    ) WITHOUT ROWID`,
    `CREATE TABLE system_history (
      kind TEXT NOT NULL CHECK (kind IN ('minute', 'hour', 'start', 'alert')),
      at INTEGER NOT NULL,                     -- when the minute or hour began, or it happened
      note TEXT NOT NULL DEFAULT '',           -- of a start: the version; of an alert: its title
      active_uploads INTEGER,                  -- the most at a time; levels are null if not sampled
      copied_bytes INTEGER NOT NULL DEFAULT 0, -- of parts that the store confirmed in that time
      stored_bytes INTEGER,                    -- the most
      failed_uploads INTEGER,                  -- in that time
      queue_age_ms INTEGER,                    -- the longest wait
      PRIMARY KEY (kind, at, note)
    ) WITHOUT ROWID`,
    // One row: what is known of the backups in the store (backups/backup-record.ts).
    `CREATE TABLE backup_record (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      made_at INTEGER,                         -- the last one
      size_bytes INTEGER,
      kept INTEGER NOT NULL DEFAULT 0,         -- in the store, after the last one
      kept_bytes INTEGER NOT NULL DEFAULT 0,
      is_announced INTEGER NOT NULL DEFAULT 0,
      tested_at INTEGER,                       -- the last restore test that succeeded
      tested_made_at INTEGER,                  -- the backup that it restored
      tested_uploads INTEGER,
      tested_files INTEGER,
      damaged_at INTEGER,                      -- when a backup was first found damaged; null after a success
      damage TEXT                              -- of the last one that was found damaged
    )`,
    `INSERT INTO backup_record (id) VALUES (1)`,
    // What is known of the clock (service/clock-trust.ts).
    `CREATE TABLE clock_trust (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      trusted_at INTEGER,                      -- the last time that was trusted; null if none
      distrusted_at INTEGER                    -- by the clock as it jumped; null while it is trusted
    )`,
    `INSERT INTO clock_trust (id) VALUES (1)`,
    `CREATE INDEX logs_level ON logs (level, seq)`,
    // The totals that screens and metrics show.
    `CREATE VIEW counters (name, value) AS
      SELECT 'uploads.' || status, sum(uploads) FROM upload_counts WHERE uploads > 0 GROUP BY status
      UNION ALL SELECT key, value FROM json_each((
        SELECT json_object('files.total', coalesce(sum(files), 0),
          'files.bytes', coalesce(sum(bytes), 0)) FROM file_counts WHERE user_id = '*'))
      UNION ALL SELECT key, value FROM json_each((
        SELECT json_object('users.total', coalesce(sum(users), 0),
          'users.admins', coalesce(sum(users * is_admin), 0),
          'users.banned', coalesce(sum(users * is_banned), 0)) FROM user_counts))`,
  ],
};
