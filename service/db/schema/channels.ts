import type { Migration } from "../migration.ts";

/** The status of the newest upload of the VOD `v`, or NULL. */
const UPLOAD_STATUS = `(SELECT u.status FROM uploads u WHERE u.vod_id = v.vod_id
  ORDER BY u.seq DESC LIMIT 1)`;
const unlessGone = (otherwise: string) => `CASE WHEN v.lost_at IS NOT NULL THEN 'lost'
          WHEN v.gone_at IS NOT NULL THEN 'gone' ELSE ${otherwise} END`;
const wantedOr = (otherwise: string) => `iif(v.next_start_at IS NULL, '${otherwise}', 'wanted')`;

/**
 * Channels that rules archive, and VODs at the source: those of the channels' lists, and all that were
 * stored.
 */
export const channels: Migration = {
  name: "0010-channels",
  statements: [
    `CREATE TABLE channels (
      owner_id TEXT PRIMARY KEY REFERENCES users (id),
      added_at INTEGER NOT NULL,
      added_by TEXT NOT NULL REFERENCES users (id),
      author_id TEXT NOT NULL REFERENCES users (id), -- on whose rights its rule acts
      changes TEXT NOT NULL DEFAULT '{}',      -- of the default rule
      paused_at INTEGER,
      broadcaster_type TEXT NOT NULL DEFAULT '', -- Helix's: '', 'affiliate', 'partner'
      deletes_after_days INTEGER,              -- by the source, as an administrator says
      stream_id TEXT,                          -- of the stream that is live
      stream_title TEXT,
      live_since INTEGER,
      stream_missed_at INTEGER,                -- the last sweep did not find the stream
      sweep_failures INTEGER NOT NULL DEFAULT 0, -- in a row, up to 3
      unlisted_stream_id TEXT,                 -- a stream whose VOD is not listed yet
      unlisted_since INTEGER,
      listed_at INTEGER,                       -- when its whole list of VODs was last read
      relist_at INTEGER,                       -- when the list is read once more
      trouble TEXT,                            -- why the sweeps fail, as a sentence
      unlisted_profile_at INTEGER,             -- an answer lacked its user; the next one decides
      unknown_at INTEGER,                      -- Twitch no longer knows its user
      keeps_none_at INTEGER                    -- a stream that was live had no VOD
    ) WITHOUT ROWID`,
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
      next_start_at INTEGER,                   -- from when its rule may start it; null: it starts nothing
      waits_for TEXT,                          -- why it was not started yet, as a sentence
      danger_at INTEGER,                       -- from when the source may delete it; null: unknown
      announced_at INTEGER,                    -- when its danger was announced
      missing_lists INTEGER NOT NULL DEFAULT 0, -- in a row
      next_check_at INTEGER,                   -- when it is asked for by its id; null: lists tell
      absent_since_at INTEGER,                 -- all interfaces of the source agreed that it is gone
      change_seen_at INTEGER,                  -- an answer showed other marks; the next one decides
      change_seen TEXT,                        -- the marks that it showed
      gone_at INTEGER,
      lost_at INTEGER,                         -- gone before what the rule wanted was stored
      muted_at INTEGER,                        -- muted after it was stored
      cut_at INTEGER,                          -- shortened after it was stored
      longer_at INTEGER,                       -- lengthened after it was stored
      is_stored INTEGER NOT NULL DEFAULT 0     -- a whole file of it; triggers of files keep it
    )`,
    // VODs with their states, as VOD_STATES of contract/channel-vods.ts describes them.
    `CREATE VIEW vod_states AS SELECT v.*, ${UPLOAD_STATUS} AS upload_status,
      CASE WHEN v.is_stored THEN 'stored' ELSE CASE ifnull(${UPLOAD_STATUS}, 'none')
        WHEN 'processing' THEN 'copying'
        WHEN 'pending' THEN iif(v.gone_at IS NULL, ${wantedOr("queued")}, 'queued')
        WHEN 'failed' THEN ${unlessGone(wantedOr("failed"))}
        WHEN 'none' THEN ${unlessGone(wantedOr("left_out"))}
        ELSE ${unlessGone("'left_out'")} END
      END AS state
      FROM vods v`,
    `CREATE INDEX vods_of_owner ON vods (owner_id, recorded_at, seq)`,
    // Of those that are not stored and known to be deleted some day, the first of each channel first,
    // with what their states are told from.
    `CREATE INDEX vods_of_owner_by_danger
      ON vods (owner_id, danger_at, next_start_at, vod_id, lost_at, gone_at, is_stored)
      WHERE danger_at IS NOT NULL AND gone_at IS NULL AND NOT is_stored`,
    `CREATE INDEX vods_startable ON vods (owner_id, seq)
      WHERE next_start_at IS NOT NULL AND gone_at IS NULL`,
    `CREATE INDEX vods_checks ON vods (next_check_at, gone_at) WHERE next_check_at IS NOT NULL`,
    // Includes what counts read of them.
    `CREATE INDEX vods_changed ON vods (is_stored, lost_at, gone_at, cut_at, muted_at, vod_id)
      WHERE coalesce(gone_at, cut_at, muted_at) IS NOT NULL`,
  ],
};
