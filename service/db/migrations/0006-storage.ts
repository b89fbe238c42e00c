import type { Migration } from "../migration.ts";

/** State of the reconciler and the scrub, and the unfinished tails of manual uploads. */
export const storage: Migration = {
  name: "0006-storage",
  statements: [
    // One row: how far the store's listing has been compared with the index.
    `CREATE TABLE IF NOT EXISTS store_scan (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      number INTEGER NOT NULL DEFAULT 0,       -- grows with every scan that begins
      prefix INTEGER NOT NULL DEFAULT 0,       -- position in the list of prefixes
      cursor TEXT,                             -- the store's own, for the next page
      after_key TEXT NOT NULL DEFAULT '',      -- keys up to here are compared
      next_at INTEGER NOT NULL DEFAULT 0       -- when the next page is due
    )`,
    `INSERT OR IGNORE INTO store_scan (id) VALUES (1)`,
    // Objects without a record; one is marked only if a second scan finds it again.
    `CREATE TABLE IF NOT EXISTS store_sightings (
      object_key TEXT PRIMARY KEY,
      scan INTEGER NOT NULL,
      tag TEXT NOT NULL,
      modified_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    // When each file's bytes were last verified, and the position of a running verification.
    `CREATE TABLE IF NOT EXISTS file_checks (
      object_key TEXT PRIMARY KEY,
      verified_at INTEGER NOT NULL DEFAULT 0,
      next_part INTEGER NOT NULL DEFAULT 1
    ) WITHOUT ROWID`,
    `CREATE INDEX IF NOT EXISTS file_checks_oldest ON file_checks (verified_at, object_key)`,
    `INSERT OR IGNORE INTO file_checks (object_key) SELECT object_key FROM files`,
    `CREATE TRIGGER IF NOT EXISTS files_check_planned AFTER INSERT ON files BEGIN
      INSERT OR IGNORE INTO file_checks (object_key) VALUES (new.object_key);
    END`,
    `CREATE TRIGGER IF NOT EXISTS files_check_dropped AFTER DELETE ON files BEGIN
      DELETE FROM file_checks WHERE object_key = old.object_key;
    END`,
    // Bytes read by the scrub, per day since 1970 in UTC.
    `CREATE TABLE IF NOT EXISTS scrub_days (
      day INTEGER PRIMARY KEY,
      bytes INTEGER NOT NULL
    )`,
    // Additional data of manual uploads.
    `CREATE TABLE IF NOT EXISTS manual_uploads (
      upload_id TEXT PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
      upload_metadata TEXT,                    -- the Upload-Metadata header as it came
      part_size_bytes INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE INDEX IF NOT EXISTS manual_uploads_expiry ON manual_uploads (expires_at)`,
    // Acknowledged bytes that do not fill a part yet, in order of start_offset.
    `CREATE TABLE IF NOT EXISTS upload_tails (
      upload_id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
      start_offset INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      object_key TEXT NOT NULL,
      PRIMARY KEY (upload_id, start_offset)
    ) WITHOUT ROWID`,
  ],
};
