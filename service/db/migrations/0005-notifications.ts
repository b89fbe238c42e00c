import type { Migration } from "../migration.ts";

/** Notification events, preferences, and one row per message to one person over one channel. */
export const notifications: Migration = {
  name: "0005-notifications",
  statements: [
    // Outbox of notification events; the dispatcher fans each out to channels.
    `CREATE TABLE IF NOT EXISTS notification_events (
      seq INTEGER PRIMARY KEY,
      type TEXT NOT NULL,
      subject TEXT,                            -- what it is about, e.g. an upload's id
      title TEXT NOT NULL,
      body TEXT NOT NULL,
      link TEXT,                               -- a path of the console
      created_at INTEGER NOT NULL,
      dispatched_at INTEGER
    )`,
    `CREATE INDEX IF NOT EXISTS notification_events_waiting
      ON notification_events (seq) WHERE dispatched_at IS NULL`,
    `CREATE TABLE IF NOT EXISTS notification_authors (
      event_seq INTEGER PRIMARY KEY REFERENCES notification_events (seq) ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES users (id)
    )`,
    `CREATE TABLE IF NOT EXISTS notification_preferences (
      user_id TEXT PRIMARY KEY REFERENCES users (id),
      telegram_user_id TEXT,
      telegram_username TEXT,
      email TEXT,
      enabled_events TEXT NOT NULL,            -- JSON: event type to list of channels
      updated_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS notification_deliveries (
      seq INTEGER PRIMARY KEY,
      event_seq INTEGER NOT NULL REFERENCES notification_events (seq) ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES users (id),
      channel TEXT NOT NULL CHECK (channel IN ('browser', 'telegram', 'email')),
      status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
      attempts INTEGER NOT NULL DEFAULT 0,
      next_attempt_at INTEGER,                 -- of a pending one; moved ahead while it is being sent
      error TEXT,
      created_at INTEGER NOT NULL,
      delivered_at INTEGER,
      read_at INTEGER,                         -- browser only
      UNIQUE (event_seq, user_id, channel)     -- a second fan-out of the same event changes nothing
    )`,
    `CREATE INDEX IF NOT EXISTS notification_deliveries_due
      ON notification_deliveries (channel, next_attempt_at) WHERE status = 'pending'`,
    `CREATE INDEX IF NOT EXISTS notification_deliveries_user ON notification_deliveries (user_id, seq)`,
    `CREATE INDEX IF NOT EXISTS notification_deliveries_unread
      ON notification_deliveries (user_id) WHERE channel = 'browser' AND read_at IS NULL`,
    // Pauses requested by a channel's provider; stored so that a restart does not cut them short.
    `CREATE TABLE IF NOT EXISTS notification_channels (
      channel TEXT PRIMARY KEY,
      held_until INTEGER NOT NULL DEFAULT 0    -- the provider asked for silence until then
    ) WITHOUT ROWID`,
    `INSERT OR IGNORE INTO notification_channels (channel) VALUES ('telegram'), ('email')`,
    // The test messages of the last minute, for the limit on them.
    `CREATE TABLE IF NOT EXISTS notification_tests (
      seq INTEGER PRIMARY KEY,
      user_id TEXT NOT NULL,
      at INTEGER NOT NULL
    )`,
  ],
};
