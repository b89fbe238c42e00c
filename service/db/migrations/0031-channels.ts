import type { Migration } from "../migration.ts";

/** Channels to archive by rules, the VODs seen at the source, and files in the trash. */
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
      deletes_after_days INTEGER,              -- an administrator's, instead of what is derived
      stream_id TEXT,                          -- of the stream that is live
      stream_title TEXT,
      live_since INTEGER,
      unlisted_stream_id TEXT,                 -- a stream whose VOD is not listed yet
      listed_at INTEGER,                       -- when its whole list of VODs was last read
      next_list_at INTEGER NOT NULL,
      list_failures INTEGER NOT NULL DEFAULT 0, -- in a row
      trouble TEXT,                            -- why it could not be checked, as a sentence
      last_vod_at INTEGER,                     -- broadcast of its newest VOD
      danger_at INTEGER                        -- the earliest of its wanted VODs that are not stored
    ) WITHOUT ROWID`,
    `CREATE INDEX channels_next_list ON channels (next_list_at)`,
    `CREATE INDEX channels_live ON channels (stream_id) WHERE stream_id IS NOT NULL`,
    // One row: the rule of channels without changes, and the switch that pauses all rules.
    `CREATE TABLE channel_defaults (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      rule TEXT NOT NULL DEFAULT '{}',         -- what differs from the built-in rule
      author_id TEXT REFERENCES users (id),
      changed_at INTEGER,
      paused_at INTEGER,
      paused_by TEXT REFERENCES users (id)
    )`,
    `INSERT INTO channel_defaults (id) VALUES (1)`,
    `CREATE TABLE vods (
      seq INTEGER PRIMARY KEY,
      vod_id TEXT NOT NULL UNIQUE,
      owner_id TEXT NOT NULL REFERENCES users (id),
      kind TEXT NOT NULL CHECK (kind IN ('archive', 'highlight', 'upload')),
      title TEXT NOT NULL,
      duration_sec REAL,
      recorded_at INTEGER NOT NULL,
      stream_id TEXT,
      is_growing INTEGER NOT NULL DEFAULT 0,
      first_seen_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      decision TEXT CHECK (decision IN ('take', 'leave')),
      reason TEXT,                             -- why it is left out
      decided_by TEXT REFERENCES users (id),   -- null: by the channel's rule
      waits_for TEXT,                          -- why a wanted VOD has no upload yet, as a sentence
      next_start_at INTEGER,                   -- when a start that was refused is tried again
      danger_at INTEGER,                       -- from when the source may delete it; null: unknown
      missing_lists INTEGER NOT NULL DEFAULT 0, -- in a row
      absent_since_at INTEGER,                 -- all interfaces of the source agreed that it is gone
      checked_at INTEGER,                      -- when the source was last asked for it by its id
      gone_at INTEGER,
      lost_at INTEGER,                         -- gone before what the rule wanted was stored
      muted_at INTEGER,                        -- muted after it was stored
      cut_at INTEGER,                          -- shortened after it was stored
      announced_at INTEGER                     -- when its danger was announced
    )`,
    `CREATE INDEX vods_of_owner ON vods (owner_id, recorded_at, seq)`,
    `CREATE INDEX vods_wanted ON vods (danger_at, seq) WHERE decision = 'take' AND gone_at IS NULL`,
    `ALTER TABLE uploads ADD COLUMN by_rule INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE uploads ADD COLUMN priority INTEGER NOT NULL DEFAULT 1`, // 0 low, 1 normal, 2 high
    `ALTER TABLE uploads ADD COLUMN danger_at INTEGER`,
    `ALTER TABLE files ADD COLUMN locked_at INTEGER`,
    `ALTER TABLE files ADD COLUMN locked_by TEXT REFERENCES users (id)`,
    `ALTER TABLE files ADD COLUMN trashed_at INTEGER`,
    `ALTER TABLE files ADD COLUMN trashed_by TEXT REFERENCES users (id)`,
    `ALTER TABLE files ADD COLUMN trash_until INTEGER`,
    `CREATE INDEX files_trash ON files (trash_until, seq) WHERE trash_until IS NOT NULL`,
  ],
};
