import type { Migration } from "../migration.ts";

/** Programs that are told of events, and one row for each event that each of them is told. */
export const webhooks: Migration = {
  name: "0036-webhooks",
  statements: [
    `CREATE TABLE webhooks (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      format TEXT NOT NULL CHECK (format IN ('standard', 'discord', 'ntfy', 'apprise')),
      host TEXT NOT NULL,
      url TEXT NOT NULL,                       -- encrypted: it may contain a token
      secret TEXT,                             -- encrypted; standard only
      previous_secret TEXT,                    -- encrypted; also signs until previous_until
      previous_until INTEGER,
      events TEXT NOT NULL,                    -- JSON: list of event types
      enabled INTEGER NOT NULL,
      off_reason TEXT,                         -- why the service switched it off
      created_at INTEGER NOT NULL,
      failures INTEGER NOT NULL DEFAULT 0,     -- in a row
      next_attempt_at INTEGER NOT NULL DEFAULT 0, -- moved ahead while something is being sent
      last_at INTEGER,                         -- the last attempt
      last_delivered INTEGER,
      last_result TEXT
    ) WITHOUT ROWID`,
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
    `CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_seq)`,
    `CREATE INDEX webhook_deliveries_pending
      ON webhook_deliveries (webhook_id, event_seq) WHERE status = 'pending'`,
  ],
};
