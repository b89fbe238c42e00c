import type { Migration } from "../migration.ts";

/** The deployment, its log, health and load. */
export const system: Migration = {
  name: "0007-system",
  statements: [
    // One row: this deployment, and all that there is one of.
    `CREATE TABLE deployment (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      deployment_id TEXT,                      -- null before it is first needed
      -- Null until this deployment's mark was seen in, or written to, the store.
      store_claimed_at INTEGER,
      -- Of the copies of this database the one with the highest may use the store (store-owner.ts).
      generation INTEGER NOT NULL DEFAULT 0,
      store_instance TEXT,                     -- as in the owner mark that this copy wrote last
      former_instances TEXT NOT NULL DEFAULT '[]', -- JSON: those before it (deployment.ts)
      -- Of the real Twitch's application; null as long as the stand-in played Twitch.
      twitch_client_id TEXT,
      key_fingerprint TEXT,                    -- of the SECRET_KEY (secrets/key-fingerprint.ts)
      -- The clock (service/clock-trust.ts).
      clock_trusted_at INTEGER,                -- the last time that was trusted; null if none
      clock_distrusted_at INTEGER,             -- by the clock as it jumped; null while it is trusted
      -- The budget; null until somebody changes it from the settings.
      budget_usd REAL CHECK (budget_usd > 0),
      pauses_when_spent INTEGER NOT NULL DEFAULT 0,
      -- The default rule, the switch that pauses all rules, and the last look at the channels.
      default_rule TEXT NOT NULL DEFAULT '{}', -- what differs from the built-in rule
      default_rule_author_id TEXT REFERENCES users (id),
      default_rule_changed_at INTEGER,
      rules_paused_at INTEGER,
      rules_paused_by TEXT REFERENCES users (id),
      streams_swept_at INTEGER,                -- when all channels were last asked for streams
      -- Backups in the store (backups/backup-record.ts).
      backup_made_at INTEGER,                  -- the last one
      backup_size_bytes INTEGER,
      backups_kept INTEGER NOT NULL DEFAULT 0, -- in the store, after the last one
      backups_kept_bytes INTEGER NOT NULL DEFAULT 0,
      backup_failure_is_announced INTEGER NOT NULL DEFAULT 0,
      backup_tested_at INTEGER,                -- the last restore test that succeeded
      backup_tested_made_at INTEGER,           -- the backup that it restored
      backup_tested_uploads INTEGER,
      backup_tested_files INTEGER,
      backup_damaged_at INTEGER,               -- when one was first found damaged; null after a success
      backup_damage TEXT,                      -- of the last one that was found damaged
      -- How far the store's listing has been compared with the index (proof/reconcile.ts).
      scan_number INTEGER NOT NULL DEFAULT 0,  -- grows with every scan that begins
      scan_prefix INTEGER NOT NULL DEFAULT 0,  -- position in the list of prefixes
      scan_cursor TEXT,                        -- the store's own, for the next page
      scan_after_key TEXT NOT NULL DEFAULT '', -- keys up to here are compared
      scan_next_at INTEGER NOT NULL DEFAULT 0, -- when the next page is due
      scan_ended_at INTEGER,                   -- when the last scan of the whole store ended
      -- The scrub: bytes read on a day since 1970 in UTC.
      scrub_day INTEGER,
      scrub_bytes INTEGER NOT NULL DEFAULT 0,
      verify_before_at INTEGER,                -- when somebody asked to have all files read; null once they are
      -- Providers of notification channels asked for silence until then.
      telegram_held_until INTEGER NOT NULL DEFAULT 0,
      email_held_until INTEGER NOT NULL DEFAULT 0
    )`,
    `INSERT INTO deployment (id) VALUES (1)`,
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
