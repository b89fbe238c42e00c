import type { Migration } from "../migration.ts";

/** Channels that rules archive, and the rule of those without changes. */
export const channels: Migration = {
  name: "0031-channels",
  statements: [
    `CREATE TABLE channels (
      owner_id TEXT PRIMARY KEY REFERENCES users (id),
      added_at INTEGER NOT NULL,
      added_by TEXT NOT NULL REFERENCES users (id),
      author_id TEXT NOT NULL REFERENCES users (id), -- on whose rights its rule acts
      changes TEXT NOT NULL DEFAULT '{}',      -- of the default rule
      paused_at INTEGER,
      broadcaster_type TEXT NOT NULL DEFAULT '', -- Helix's: '', 'affiliate', 'partner'
      kept_days INTEGER,                       -- by the source, as derived; null: unknown
      deletes_after_days INTEGER,              -- an administrator's, instead of kept_days
      stream_id TEXT,                          -- of the stream that is live
      stream_title TEXT,
      live_since INTEGER,
      stream_missed_at INTEGER,                -- the last sweep did not find the stream
      sweep_failures INTEGER NOT NULL DEFAULT 0, -- in a row, up to 3
      unlisted_stream_id TEXT,                 -- a stream whose VOD is not listed yet
      unlisted_since INTEGER,
      listed_at INTEGER,                       -- when its whole list of VODs was last read
      next_list_at INTEGER NOT NULL,
      relist_at INTEGER,                       -- when the list is read once more
      list_failures INTEGER NOT NULL DEFAULT 0, -- in a row
      trouble TEXT                             -- why it could not be checked, as a sentence
    ) WITHOUT ROWID`,
    `CREATE INDEX channels_next_list ON channels (next_list_at)`,
    `CREATE INDEX channels_live ON channels (stream_id) WHERE stream_id IS NOT NULL`,
    // One row: the default rule, and the switch that pauses all rules.
    `CREATE TABLE channel_defaults (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      rule TEXT NOT NULL DEFAULT '{}',         -- what differs from the built-in rule
      author_id TEXT REFERENCES users (id),
      changed_at INTEGER,
      paused_at INTEGER,
      paused_by TEXT REFERENCES users (id),
      swept_at INTEGER                         -- when all channels were last asked for streams
    )`,
    `INSERT INTO channel_defaults (id) VALUES (1)`,
    `CREATE INDEX files_of_user_lengths ON files (user_id, upload_type, status,
      json_extract(metadata, '$.durationSec'), size_bytes)`,
  ],
};
