import type { Migration } from "../migration.ts";

/**
 * Received bytes whose upload, or its length, is not known yet: partial uploads and deferred
 * lengths.
 */
export const stagedUploads: Migration = {
  name: "0021-staged-uploads",
  statements: [
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
    `CREATE INDEX IF NOT EXISTS staged_uploads_owner ON staged_uploads (owner_id)`,
    `CREATE TABLE IF NOT EXISTS staged_pieces (
      staged_id TEXT NOT NULL REFERENCES staged_uploads (id) ON DELETE CASCADE,
      start_offset INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      object_key TEXT NOT NULL,
      PRIMARY KEY (staged_id, start_offset)
    ) WITHOUT ROWID`,
    `CREATE UNIQUE INDEX IF NOT EXISTS staged_pieces_key ON staged_pieces (object_key)`,
    `CREATE TABLE IF NOT EXISTS composed_uploads (
      upload_id TEXT PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
      staged_ids TEXT NOT NULL,                -- JSON, in order
      upload_concat TEXT                       -- the Upload-Concat header as it came
    ) WITHOUT ROWID`,
  ],
};
