import type { Migration } from "../migration.ts";

/** Stored files, and the state of what compares and verifies them. */
export const files: Migration = {
  name: "0003-files",
  statements: [
    `CREATE TABLE IF NOT EXISTS files (
      seq INTEGER PRIMARY KEY,
      object_key TEXT NOT NULL UNIQUE,
      upload_id TEXT,
      user_id TEXT,
      vod_id TEXT,
      filename TEXT,
      size_bytes INTEGER NOT NULL,
      upload_type TEXT NOT NULL,               -- the upload's kind, or 'chunk' while it is unfinished
      status TEXT NOT NULL CHECK (status IN ('complete', 'partial', 'orphaned')),
      content_type TEXT NOT NULL,
      sha256 TEXT,
      metadata TEXT NOT NULL DEFAULT '{}',
      last_modified_at INTEGER NOT NULL
    )`,
    `CREATE INDEX IF NOT EXISTS files_user ON files (user_id, seq)`,
    `CREATE INDEX IF NOT EXISTS files_upload ON files (upload_id)`,
    // Multipart uploads and objects to be deleted; retried until the store confirms.
    `CREATE TABLE IF NOT EXISTS store_removals (
      seq INTEGER PRIMARY KEY,
      object_key TEXT NOT NULL,
      multipart_id TEXT,                       -- set: abort this multipart; null: delete the object
      not_before_at INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0
    )`,
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
    // Bytes read by the scrub, per day since 1970 in UTC.
    `CREATE TABLE IF NOT EXISTS scrub_days (
      day INTEGER PRIMARY KEY,
      bytes INTEGER NOT NULL
    )`,
    `CREATE TABLE IF NOT EXISTS unreadable_files (
      object_key TEXT PRIMARY KEY,
      since INTEGER NOT NULL,                  -- of the first try in a row that failed
      retry_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
  ],
};
