import type { Migration } from "../migration.ts";

/** Events, who is told of them by which channel, and the webhooks. */
export const notifications: Migration = {
  name: "0009-notifications",
  statements: [
    // Outbox of notification events; the dispatcher fans each out to channels.
    `CREATE TABLE notification_events (
      seq INTEGER PRIMARY KEY,
      type TEXT NOT NULL,
      subject TEXT,                            -- what it is about, e.g. an upload's id
      cause TEXT,                              -- events of one type and cause within ten minutes are one delivery
      title TEXT NOT NULL,
      body TEXT NOT NULL,
      link TEXT,                               -- a path of the console
      created_at INTEGER NOT NULL,
      dispatched_at INTEGER,
      author_id TEXT REFERENCES users (id)     -- who caused it; null: the service
    )`,
    `CREATE TABLE notification_preferences (
      user_id TEXT PRIMARY KEY REFERENCES users (id),
      telegram_user_id TEXT,
      telegram_username TEXT,
      email TEXT,
      enabled_events TEXT NOT NULL,            -- JSON: event type to list of channels
      updated_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    // One row per message to one person over one channel.
    `CREATE TABLE notification_deliveries (
      seq INTEGER PRIMARY KEY,
      event_seq INTEGER NOT NULL REFERENCES notification_events (seq) ON DELETE CASCADE,
      user_id TEXT NOT NULL REFERENCES users (id),
      channel TEXT NOT NULL CHECK (channel IN ('browser', 'telegram', 'email')),
      status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
      attempts INTEGER NOT NULL DEFAULT 0,
      due_at INTEGER,                          -- when a pending one may be sent
      error TEXT,
      created_at INTEGER NOT NULL,
      delivered_at INTEGER,
      read_at INTEGER,                         -- browser only
      events INTEGER NOT NULL DEFAULT 1,       -- for how many it stands
      window_ends_at INTEGER,                  -- until when it takes further events of its cause
      UNIQUE (event_seq, user_id, channel)     -- a second fan-out of the same event changes nothing
    )`,
    // Pauses requested by a channel's provider; stored so that a restart does not cut them short.
    `CREATE TABLE notification_channels (
      channel TEXT PRIMARY KEY,
      held_until INTEGER NOT NULL DEFAULT 0    -- the provider asked for silence until then
    ) WITHOUT ROWID`,
    `INSERT INTO notification_channels (channel) VALUES ('telegram'), ('email')`,
    // The test messages of the last minute, for the limit on them.
    `CREATE TABLE notification_tests (
      seq INTEGER PRIMARY KEY,
      user_id TEXT NOT NULL,
      at INTEGER NOT NULL
    )`,
    `CREATE TABLE webhooks (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      format TEXT NOT NULL CHECK (format IN ('standard', 'discord', 'ntfy', 'apprise')),
      host TEXT NOT NULL,
      url TEXT NOT NULL,                       -- encrypted: it may contain a token
      secret TEXT,                             -- encrypted; standard only
      events TEXT NOT NULL,                    -- JSON: list of event types
      enabled INTEGER NOT NULL,
      off_reason TEXT,                         -- why the service switched it off
      created_at INTEGER NOT NULL,
      last_at INTEGER,                         -- the last attempt
      last_delivered INTEGER,
      last_result TEXT
    ) WITHOUT ROWID`,
    // One row for each event that a webhook is told.
    `CREATE TABLE webhook_deliveries (
      webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
      event_seq INTEGER NOT NULL REFERENCES notification_events (seq) ON DELETE CASCADE,
      status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
      attempts INTEGER NOT NULL DEFAULT 0,
      retry_until INTEGER NOT NULL,
      result TEXT,                             -- of the last attempt, as a sentence
      attempted_at INTEGER,
      PRIMARY KEY (webhook_id, event_seq)
    ) WITHOUT ROWID`,
    `CREATE INDEX notification_events_waiting
      ON notification_events (seq) WHERE dispatched_at IS NULL`,
    `CREATE INDEX notification_deliveries_pending
      ON notification_deliveries (user_id, channel, due_at) WHERE status = 'pending'`,
    `CREATE INDEX notification_deliveries_user ON notification_deliveries (user_id, seq)`,
    `CREATE INDEX notification_deliveries_unread
      ON notification_deliveries (user_id) WHERE channel = 'browser' AND read_at IS NULL`,
    `CREATE INDEX notification_deliveries_window
      ON notification_deliveries (user_id, channel, window_ends_at)
      WHERE window_ends_at IS NOT NULL`,
    `CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_seq)`,
    `CREATE INDEX webhook_deliveries_pending
      ON webhook_deliveries (webhook_id, event_seq) WHERE status = 'pending'`,
  ],
};
