import { NEVER_MS } from "../due-time.ts";
import type { Migration } from "../migration.ts";

const isFileOf = (vodId: string) => `EXISTS (SELECT 1 FROM files f WHERE f.vod_id = ${vodId}
  AND f.upload_type = 'twitch' AND f.status <> 'partial')`;
const newestStatus = (vodId: string) => `(SELECT u.status FROM uploads u WHERE u.vod_id = ${vodId}
  ORDER BY u.seq DESC LIMIT 1)`;

const COLUMNS = `vod_id, owner_id, kind, title, duration_sec, recorded_at, first_seen_at, last_seen_at,
  is_stored, upload_status`;

/** The VOD of an upload `u`, of the most frequent kind; its channel's list may name another. */
const storedVod = (u: string) => `SELECT ${u}.vod_id, ${u}.owner_id, 'archive',
  coalesce(${u}.title, ${u}.filename), ${u}.duration_sec, coalesce(${u}.recorded_at, ${u}.created_at),
  ${u}.created_at, coalesce(${u}.completed_at, ${u}.created_at),
  ${isFileOf(`${u}.vod_id`)}, ${newestStatus(`${u}.vod_id`)}`;
const isStoredVod = (u: string) =>
  `${u}.kind = 'twitch' AND ${u}.status = 'completed' AND ${u}.vod_id IS NOT NULL`;
const addStoredVod = `BEGIN
  INSERT INTO vods (${COLUMNS}) ${storedVod("new")}
  WHERE NOT EXISTS (SELECT 1 FROM vods WHERE vod_id = new.vod_id);
END`;

/**
 * Channels that rules archive, and VODs at the source: those of the channels' lists, and all that are
 * stored. Triggers keep whether a VOD is stored and the status of its newest upload, so that no writer
 * can miss it.
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
      kept_days INTEGER,                       -- by the source, as derived
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
      trouble TEXT,                            -- why it could not be checked, as a sentence
      next_profile_at INTEGER NOT NULL DEFAULT 0, -- when Twitch is asked for its user
      unlisted_profile_at INTEGER,             -- an answer lacked its user; the next one decides
      unknown_at INTEGER,                      -- Twitch no longer knows its user
      keeps_none_at INTEGER                    -- a stream that was live had no VOD
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
      is_stored INTEGER NOT NULL DEFAULT 0,
      upload_status TEXT,
      decision TEXT CHECK (decision IN ('take', 'leave')),
      reason TEXT,                             -- why it is left out
      decided_by TEXT REFERENCES users (id),   -- null: by the channel's rule
      waits_for TEXT,                          -- why a wanted VOD has no upload yet, as a sentence
      next_start_at INTEGER,                   -- from when the rule may start it; null: at once
      danger_at INTEGER,                       -- from when the source may delete it; null: unknown
      announced_at INTEGER,                    -- when its danger was announced
      missing_lists INTEGER NOT NULL DEFAULT 0, -- in a row
      next_check_at INTEGER NOT NULL DEFAULT 0, -- by its id
      absent_since_at INTEGER,                 -- all interfaces of the source agreed that it is gone
      change_seen_at INTEGER,                  -- an answer showed other marks; the next one decides
      change_seen TEXT,                        -- the marks that it showed
      gone_at INTEGER,
      lost_at INTEGER,                         -- gone before what the rule wanted was stored
      muted_at INTEGER,                        -- muted after it was stored
      cut_at INTEGER,                          -- shortened after it was stored
      longer_at INTEGER,                       -- lengthened after it was stored
      -- As VOD_STATES of contract/channel-vods.ts describe it.
      state TEXT GENERATED ALWAYS AS (CASE
        WHEN is_stored = 1 THEN 'stored'
        WHEN upload_status = 'processing' THEN 'copying'
        WHEN decision = 'take' AND next_start_at < ${NEVER_MS} AND gone_at IS NULL
          AND lost_at IS NULL AND upload_status IN ('pending', 'failed') THEN 'wanted'
        WHEN upload_status = 'pending' THEN 'queued'
        WHEN lost_at IS NOT NULL THEN 'lost'
        WHEN gone_at IS NOT NULL THEN 'gone'
        WHEN upload_status = 'failed' THEN 'failed'
        WHEN decision = 'take' AND upload_status IS NULL THEN 'wanted'
        ELSE 'left_out' END) VIRTUAL
    )`,
    `CREATE INDEX vods_of_owner ON vods (owner_id, recorded_at, seq)`,
    `CREATE INDEX vods_growing ON vods (owner_id) WHERE is_growing = 1`,
    `CREATE INDEX vods_by_state ON vods (owner_id, state, danger_at)`,
    `CREATE INDEX vods_by_danger ON vods (state, danger_at, owner_id)`,
    `CREATE INDEX vods_open_by_danger ON vods (danger_at, vod_id)
      WHERE decision = 'take' AND gone_at IS NULL AND is_stored = 0`,
    `CREATE INDEX vods_startable ON vods (seq)
      WHERE decision = 'take' AND gone_at IS NULL AND ifnull(next_start_at, 0) < ${NEVER_MS}`,
    // Those that no round of starts has seen.
    `CREATE INDEX vods_new_wanted ON vods (seq)
      WHERE decision = 'take' AND gone_at IS NULL AND next_start_at IS NULL AND waits_for IS NULL`,
    `CREATE INDEX vods_gone ON vods (gone_at)
      WHERE decision = 'take' AND is_stored = 0 AND gone_at IS NOT NULL AND lost_at IS NULL`,
    `CREATE INDEX vods_lost ON vods (lost_at) WHERE lost_at IS NOT NULL`,
    `CREATE INDEX vods_rare ON vods (vod_id)
      WHERE is_stored = 1 AND coalesce(gone_at, cut_at, muted_at) IS NOT NULL`,
    `CREATE INDEX vods_changed ON vods (vod_id) WHERE coalesce(gone_at, cut_at, muted_at) IS NOT NULL`,
    `CREATE INDEX vods_checks ON vods (next_check_at, gone_at)
      WHERE (is_stored = 1 OR (gone_at IS NULL AND missing_lists >= 3))`,
    `CREATE TRIGGER vods_inserted AFTER INSERT ON vods
      WHEN new.is_stored = 0 AND ${isFileOf("new.vod_id")} BEGIN
      UPDATE vods SET is_stored = 1 WHERE seq = new.seq;
    END`,
    `CREATE TRIGGER vods_of_upload_inserted AFTER INSERT ON vods
      WHEN new.upload_status IS NULL BEGIN
      UPDATE vods SET upload_status = ${newestStatus("new.vod_id")}
      WHERE seq = new.seq AND EXISTS (SELECT 1 FROM uploads WHERE vod_id = new.vod_id);
    END`,
    `CREATE TRIGGER files_stored AFTER INSERT ON files
      WHEN new.vod_id IS NOT NULL AND new.upload_type = 'twitch' AND new.status <> 'partial' BEGIN
      UPDATE vods SET is_stored = 1 WHERE vod_id = new.vod_id;
    END`,
    `CREATE TRIGGER files_stored_later AFTER UPDATE OF status, upload_type, vod_id ON files
      WHEN new.vod_id IS NOT NULL BEGIN
      UPDATE vods SET is_stored = ${isFileOf("new.vod_id")} WHERE vod_id = new.vod_id;
    END`,
    `CREATE TRIGGER files_unstored AFTER DELETE ON files WHEN old.vod_id IS NOT NULL BEGIN
      UPDATE vods SET is_stored = ${isFileOf("old.vod_id")} WHERE vod_id = old.vod_id;
    END`,
    `CREATE TRIGGER uploads_of_vod_inserted AFTER INSERT ON uploads
      WHEN new.vod_id IS NOT NULL BEGIN
      UPDATE vods SET upload_status = new.status WHERE vod_id = new.vod_id;
    END`,
    `CREATE TRIGGER uploads_of_vod_changed AFTER UPDATE OF status ON uploads
      WHEN old.status <> new.status AND new.vod_id IS NOT NULL BEGIN
      UPDATE vods SET upload_status = ${newestStatus("new.vod_id")} WHERE vod_id = new.vod_id;
    END`,
    // Who deletes an upload does not want a rule to begin it again, also of one's own that the rule left out.
    `CREATE TRIGGER uploads_of_vod_deleted AFTER DELETE ON uploads WHEN old.vod_id IS NOT NULL BEGIN
      UPDATE vods SET upload_status = ${newestStatus("old.vod_id")} WHERE vod_id = old.vod_id;
      UPDATE vods SET decision = 'leave', reason = 'by_hand'
      WHERE vod_id = old.vod_id AND upload_status IS NULL
        AND (decision = 'take' OR (decision = 'leave' AND old.by_rule = 0));
    END`,
    // What is stored is checked, whether its channel is followed or not.
    `CREATE TRIGGER uploads_stored AFTER UPDATE OF status ON uploads
      WHEN ${isStoredVod("new")} ${addStoredVod}`,
    `CREATE TRIGGER uploads_stored_at_once AFTER INSERT ON uploads
      WHEN ${isStoredVod("new")} ${addStoredVod}`,
  ],
};
