import type { Migration } from "../migration.ts";

/** Samples of the system's load, and what happened to it. */
export const systemHistory: Migration = {
  name: "0007-system-history",
  statements: [
    `CREATE TABLE IF NOT EXISTS system_history (
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
  ],
};
