import type { Migration } from "../migration.ts";

/** Uploads with their checkpoints, and bytes received by manual uploads. */
export const uploads: Migration = {
  name: "0002-uploads",
  statements: [
    `CREATE TABLE IF NOT EXISTS uploads (
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
      rights TEXT NOT NULL CHECK (rights IN ('owner_signed_in', 'administrator_confirmed')),
      status TEXT NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'failed', 'cancelled')),
      phase TEXT,
      progress REAL NOT NULL DEFAULT 0,
      source_bytes INTEGER,
      source_bytes_estimated INTEGER NOT NULL DEFAULT 1,
      stored_bytes INTEGER NOT NULL DEFAULT 0,
      segments_done INTEGER NOT NULL DEFAULT 0,
      segments_total INTEGER,
      duration_sec REAL,
      speed_bytes_per_sec REAL,
      last_segment INTEGER,
      last_segment_at INTEGER,
      progress_history TEXT NOT NULL DEFAULT '[]',
      muted_ranges TEXT NOT NULL DEFAULT '[]',
      missing_ranges TEXT NOT NULL DEFAULT '[]',
      failure_class TEXT,
      error_message TEXT,
      next_attempt_at INTEGER,
      attempts INTEGER NOT NULL DEFAULT 0,     -- tries in a row that ended in "try later"
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
      part_size_bytes INTEGER
    )`,
    `CREATE INDEX IF NOT EXISTS uploads_vod ON uploads (vod_id) WHERE vod_id IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS uploads_owner ON uploads (owner_id, seq)`,
    `CREATE INDEX IF NOT EXISTS uploads_created ON uploads (created_at)`,
    `CREATE INDEX IF NOT EXISTS uploads_open_owner ON uploads (owner_id, seq)
      WHERE status IN ('pending', 'processing')`,
    // Unfinished multiparts use billed storage; there are few at a time, so summing them is cheap.
    `CREATE INDEX IF NOT EXISTS uploads_multipart ON uploads (id) WHERE multipart_id IS NOT NULL`,
    // The checkpoint: one row per part that the store has confirmed.
    `CREATE TABLE IF NOT EXISTS upload_parts (
      upload_id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
      part_number INTEGER NOT NULL,
      tag TEXT NOT NULL,
      size_bytes INTEGER NOT NULL,
      sha256 TEXT NOT NULL,
      end_unit INTEGER NOT NULL,               -- the cursor after this part: next byte is at end_offset
      end_offset INTEGER NOT NULL,             -- of unit end_unit
      end_unit_size INTEGER,                   -- of that unit as a whole; null when the part ended with a unit
      end_overlap_sha256 TEXT,                    -- of the last bytes before the cursor: a resume must fetch the same
      finished_units TEXT NOT NULL,            -- JSON: sizes of the units that ended in this part; null: gone for good
      PRIMARY KEY (upload_id, part_number)
    ) WITHOUT ROWID`,
    // Additional data of manual uploads.
    `CREATE TABLE IF NOT EXISTS manual_uploads (
      upload_id TEXT PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
      upload_metadata TEXT,                    -- the Upload-Metadata header as it came
      part_size_bytes INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    // Acknowledged bytes that do not fill a part yet, in order of start_offset.
    `CREATE TABLE IF NOT EXISTS incomplete_parts (
      upload_id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
      start_offset INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      object_key TEXT NOT NULL,
      PRIMARY KEY (upload_id, start_offset)
    ) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS staged_uploads (
      id TEXT PRIMARY KEY,
      owner_id TEXT NOT NULL REFERENCES users (id),
      is_partial INTEGER NOT NULL,             -- 0: a whole upload whose length was deferred
      length INTEGER,                          -- null until it is declared
      filename TEXT NOT NULL,
      upload_metadata TEXT,                    -- the Upload-Metadata header as it came
      expires_at INTEGER NOT NULL,
      upload_id TEXT                           -- the upload that is made of it
    ) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS staged_pieces (
      staged_id TEXT NOT NULL REFERENCES staged_uploads (id) ON DELETE CASCADE,
      start_offset INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      object_key TEXT NOT NULL UNIQUE,
      PRIMARY KEY (staged_id, start_offset)
    ) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS composed_uploads (
      upload_id TEXT PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
      staged_ids TEXT NOT NULL,                -- JSON, in order
      upload_concat TEXT                       -- the Upload-Concat header as it came
    ) WITHOUT ROWID`,
  ],
};
