import type { Migration } from "../migration.ts";
import { marked } from "../search.ts";
import { indexRow, searchIndex } from "./search-index.ts";

const TEXTS = ["filename", "title", "owner", "error"];

const classOf = (row: "old" | "new") => `iif(${row}.status = 'failed', ${row}.failure_class, '')`;
const canRetry = (row: "old" | "new") =>
  `(${row}.status = 'failed' AND ${row}.retry_count < ${row}.max_retries)`;

const COUNT_NEW = `INSERT INTO upload_counts (status, failure_class, can_retry, uploads)
      VALUES (new.status, ${classOf("new")}, ${canRetry("new")}, 1)
      ON CONFLICT DO UPDATE SET uploads = uploads + 1;`;
const UNCOUNT_OLD = `UPDATE upload_counts SET uploads = uploads - 1 WHERE status = old.status
      AND failure_class = ${classOf("old")} AND can_retry = ${canRetry("old")};`;

/** Uploads with their checkpoints, and bytes that manual uploads received. */
export const uploads: Migration = {
  name: "0002-uploads",
  statements: [
    `CREATE TABLE uploads (
      seq INTEGER PRIMARY KEY,                 -- order of creation; pages seek on it
      id TEXT NOT NULL UNIQUE,
      version INTEGER NOT NULL DEFAULT 1,
      kind TEXT NOT NULL,                      -- of source; the service checks it
      vod_id TEXT,                             -- the source's id of the video, if it has one
      source_url TEXT,                         -- the address of a direct URL
      filename TEXT NOT NULL,
      title TEXT,
      owner_id TEXT NOT NULL REFERENCES users (id),
      initiated_by TEXT REFERENCES users (id),
      -- With 'owner_signed_in', the version says to which text the owner agreed; without one, the
      -- owner had only signed in, which counts as no consent.
      rights TEXT NOT NULL CHECK (rights IN ('owner_signed_in', 'administrator_confirmed')),
      consent_text_version INTEGER,
      by_rule INTEGER NOT NULL DEFAULT 0,
      danger_at INTEGER,                       -- from when the source may delete the VOD
      quality TEXT NOT NULL DEFAULT 'best',
      rendition TEXT,                          -- e.g. 1080p60; null before the plan is made
      withheld_rendition TEXT,                 -- JSON
      recorded_at INTEGER,                     -- when the broadcast began
      status TEXT NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'failed', 'cancelled')),
      phase TEXT,
      progress REAL NOT NULL DEFAULT 0,
      source_bytes INTEGER,
      source_bytes_estimated INTEGER NOT NULL DEFAULT 1,
      stored_bytes INTEGER NOT NULL DEFAULT 0,
      segments_done INTEGER NOT NULL DEFAULT 0,
      segments_total INTEGER,
      duration_sec REAL,
      stated_duration_sec REAL,                -- by the source, if its playlist is shorter by over 10 s
      speed_bytes_per_sec REAL,
      last_segment INTEGER,
      last_segment_at INTEGER,
      progress_history TEXT NOT NULL DEFAULT '[]',
      muted_ranges TEXT NOT NULL DEFAULT '[]',
      missing_ranges TEXT NOT NULL DEFAULT '[]',
      is_live INTEGER NOT NULL DEFAULT 0,      -- the broadcast went on when it was last asked for
      absent_since_at INTEGER,                 -- all interfaces of the source say that it does not exist
      failure_class TEXT,
      error_message TEXT,
      next_attempt_at INTEGER,
      attempts INTEGER NOT NULL DEFAULT 0,     -- tries in a row that ended in "try later"
      lost_starts INTEGER NOT NULL DEFAULT 0,  -- runs in a row that were begun and never ended
      retry_count INTEGER NOT NULL DEFAULT 0,
      max_retries INTEGER NOT NULL,
      stall_count INTEGER NOT NULL DEFAULT 0,
      stalled_at INTEGER,
      stall_reason TEXT,
      created_at INTEGER NOT NULL,
      started_at INTEGER,
      completed_at INTEGER,
      failed_at INTEGER,
      updated_at INTEGER NOT NULL,
      -- the archive engine's own
      epoch INTEGER NOT NULL DEFAULT 0,        -- grows with every lease; a write with an older one is refused
      lease_owner TEXT,
      lease_until INTEGER,
      object_key TEXT,
      playlist_key TEXT,
      manifest_key TEXT,
      chat_key TEXT,
      has_thumbnail INTEGER NOT NULL DEFAULT 0,
      has_storyboard INTEGER NOT NULL DEFAULT 0,
      multipart_id TEXT,
      part_size_bytes INTEGER,
      -- manual uploads' own
      expires_at INTEGER,
      upload_metadata TEXT                     -- the Upload-Metadata header as it came
    )`,
    // The checkpoint: one row per part that the store has confirmed.
    `CREATE TABLE upload_parts (
      upload_id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
      part_number INTEGER NOT NULL,
      tag TEXT NOT NULL,
      size_bytes INTEGER NOT NULL,
      sha256 TEXT NOT NULL,
      end_unit INTEGER NOT NULL,               -- the cursor after this part: next byte is at end_offset
      end_offset INTEGER NOT NULL,             -- of unit end_unit
      end_unit_size INTEGER,                   -- of that unit as a whole; null when the part ended with a unit
      end_overlap_sha256 TEXT,                 -- of the last bytes before the cursor: a resume must fetch the same
      finished_units TEXT NOT NULL,            -- JSON: sizes of the units that ended in this part; null: gone for good
      PRIMARY KEY (upload_id, part_number)
    ) WITHOUT ROWID`,
    // Received bytes that do not fill a part yet, in order of start_offset.
    `CREATE TABLE incomplete_parts (
      upload_id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
      start_offset INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      object_key TEXT NOT NULL,
      finished_units TEXT,                     -- JSON: sizes of the units that end in them; null for manual uploads
      PRIMARY KEY (upload_id, start_offset)
    ) WITHOUT ROWID`,
    // For uploads that have not failed, the class is empty and can_retry 0.
    `CREATE TABLE upload_counts (
      status TEXT NOT NULL,
      failure_class TEXT NOT NULL,
      can_retry INTEGER NOT NULL,
      uploads INTEGER NOT NULL,
      PRIMARY KEY (status, failure_class, can_retry)
    ) WITHOUT ROWID`,
    `CREATE INDEX uploads_vod ON uploads (vod_id, seq, status, by_rule) WHERE vod_id IS NOT NULL`,
    `CREATE INDEX uploads_owner ON uploads (owner_id, seq)`,
    `CREATE INDEX uploads_created ON uploads (created_at)`,
    // Unfinished multiparts use billed storage; there are few at a time, so summing them is cheap.
    `CREATE INDEX uploads_multipart ON uploads (id) WHERE multipart_id IS NOT NULL`,
    `CREATE INDEX uploads_status ON uploads (status, seq)`,
    `CREATE INDEX uploads_filename ON uploads (filename COLLATE NOCASE)`,
    `CREATE INDEX uploads_size ON uploads (source_bytes)`,
    `CREATE INDEX uploads_recorded ON uploads (recorded_at)`,
    `CREATE INDEX uploads_failed ON uploads (failed_at, seq, failure_class)
      WHERE status = 'failed'`,
    // An unknown danger comes last: the largest time of ECMAScript.
    `CREATE INDEX uploads_queue
      ON uploads (is_live, by_rule, coalesce(danger_at, 8640000000000000), seq)
      WHERE status IN ('pending', 'processing') AND kind <> 'manual'`,
    // Errors are searched on the Failed screen only.
    `CREATE VIEW upload_texts AS
      SELECT u.seq, ${marked("u.filename")} AS filename, ${marked("coalesce(u.title, '')")} AS title,
        ${marked("o.login")} || ${marked("o.display_name")} AS owner,
        CASE u.status WHEN 'failed' THEN ${marked("coalesce(u.error_message, '')")} ELSE '' END AS error
      FROM uploads u LEFT JOIN users o ON o.id = u.owner_id`,
    searchIndex("upload", TEXTS),
    // None of the triggers runs when only the progress of an upload changes.
    `CREATE TRIGGER uploads_inserted AFTER INSERT ON uploads BEGIN
      ${COUNT_NEW}
      ${indexRow("upload", TEXTS)}
    END`,
    `CREATE TRIGGER uploads_recounted
      AFTER UPDATE OF status, failure_class, retry_count, max_retries ON uploads
      WHEN old.status <> new.status OR (new.status = 'failed' AND (
        old.failure_class IS NOT new.failure_class
        OR (old.retry_count < old.max_retries) <> (new.retry_count < new.max_retries))) BEGIN
      ${UNCOUNT_OLD}
      ${COUNT_NEW}
    END`,
    `CREATE TRIGGER uploads_reindexed
      AFTER UPDATE OF filename, title, owner_id, status, error_message ON uploads
      WHEN old.filename <> new.filename OR old.title IS NOT new.title OR old.owner_id <> new.owner_id
        OR CASE old.status WHEN 'failed' THEN old.error_message END
          IS NOT CASE new.status WHEN 'failed' THEN new.error_message END BEGIN
      DELETE FROM upload_search WHERE rowid = old.seq;
      ${indexRow("upload", TEXTS)}
    END`,
    `CREATE TRIGGER uploads_deleted AFTER DELETE ON uploads BEGIN
      ${UNCOUNT_OLD}
      DELETE FROM upload_search WHERE rowid = old.seq;
    END`,
  ],
};
