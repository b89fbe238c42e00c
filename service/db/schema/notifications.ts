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
    // One row per message to one person over one channel, or event that a webhook is told.
    `CREATE TABLE notification_deliveries (
      seq INTEGER PRIMARY KEY,
      event_seq INTEGER NOT NULL REFERENCES notification_events (seq) ON DELETE CASCADE,
      receiver TEXT NOT NULL,                  -- a user's id, or a webhook's
      channel TEXT NOT NULL CHECK (channel IN ('browser', 'telegram', 'email', 'webhook')),
      status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
      attempts INTEGER NOT NULL DEFAULT 0,
      due_at INTEGER,                          -- when a pending one may be sent
      retry_until INTEGER,                     -- webhooks only
      result TEXT,                             -- of a failure, or a webhook's last attempt, as a sentence
      created_at INTEGER NOT NULL,
      attempted_at INTEGER,                    -- when it was delivered, or a webhook last tried
      read_at INTEGER,                         -- browser only
      events INTEGER NOT NULL DEFAULT 1,       -- for how many it stands
      window_ends_at INTEGER,                  -- until when it takes further events of its cause
      UNIQUE (event_seq, receiver, channel)     -- a second fan-out of the same event changes nothing
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
    `CREATE INDEX notification_deliveries_pending
      ON notification_deliveries (receiver, channel, due_at) WHERE status = 'pending'`,
    `CREATE INDEX notification_deliveries_receiver ON notification_deliveries (receiver, seq)`,
    `CREATE INDEX notification_deliveries_unread
      ON notification_deliveries (receiver) WHERE channel = 'browser' AND read_at IS NULL`,
  ],
};
