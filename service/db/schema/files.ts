import type { Migration } from "../migration.ts";
import { marked } from "../search.ts";
import { indexRow, searchIndex } from "./search-index.ts";

const TEXTS = ["filename", "object_key", "title"];
const titleOf = (row: string) => `json_extract(${row}metadata, '$.title')`;
const durationMsOf = (row: "old" | "new") =>
  `CAST(round(1000 * coalesce(json_extract(${row}.metadata, '$.durationSec'), 0)) AS INTEGER)`;

const COUNT_NEW = `INSERT INTO file_owners (user_id, login)
      VALUES (coalesce(new.user_id, '-'),
        coalesce((SELECT login FROM users WHERE id = new.user_id), ''))
      ON CONFLICT DO NOTHING;
    INSERT INTO file_counts
        (user_id, status, upload_type, files, bytes, duration_ms, trashed_files, trashed_bytes)
      SELECT value, new.status, new.upload_type, 1, new.size_bytes, ${durationMsOf("new")},
        new.trash_until IS NOT NULL, iif(new.trash_until IS NULL, 0, new.size_bytes)
      FROM json_each(json_array('*', coalesce(new.user_id, '-'))) WHERE TRUE
      ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes,
        duration_ms = duration_ms + excluded.duration_ms,
        trashed_files = trashed_files + excluded.trashed_files,
        trashed_bytes = trashed_bytes + excluded.trashed_bytes;`;
const UNCOUNT_OLD = `UPDATE file_counts SET files = files - 1, bytes = bytes - old.size_bytes,
        duration_ms = duration_ms - ${durationMsOf("old")},
        trashed_files = trashed_files - (old.trash_until IS NOT NULL),
        trashed_bytes = trashed_bytes - iif(old.trash_until IS NULL, 0, old.size_bytes)
      WHERE user_id IN ('*', coalesce(old.user_id, '-'))
        AND status = old.status AND upload_type = old.upload_type;`;

const IS_COUNTED_ALIKE = `(old.user_id IS new.user_id AND old.status = new.status
        AND old.upload_type = new.upload_type
        AND (old.trash_until IS NULL) = (new.trash_until IS NULL)
        AND ${durationMsOf("old")} = ${durationMsOf("new")})`;

/** Keeps `vods.is_stored`: whether a whole file of the row's VOD is stored. */
const NOTE_STORED = (row: "old" | "new") => `UPDATE vods SET is_stored = NOT is_stored
      WHERE vod_id = ${row}.vod_id AND is_stored <> EXISTS (SELECT 1 FROM files f
        WHERE f.vod_id = ${row}.vod_id AND f.upload_type = 'twitch' AND f.status <> 'partial');`;

/** Stored files, and what the scans of the store found of them. */
export const files: Migration = {
  name: "0003-files",
  statements: [
    `CREATE TABLE files (
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
      last_modified_at INTEGER NOT NULL,
      recorded_at INTEGER,                     -- when the broadcast began
      locked_at INTEGER,
      trashed_at INTEGER,
      trash_until INTEGER,
      trashed_by TEXT,                         -- the person who put it there; null for a rule
      -- Its verification. 0: its bytes were not read again yet; null: they never are, for sample rows.
      verified_at INTEGER DEFAULT 0,
      verify_part INTEGER NOT NULL DEFAULT 1,  -- the next one to read
      unreadable_since_at INTEGER,             -- the first try in a row that failed in the same way
      is_refused INTEGER NOT NULL DEFAULT 0    -- the way: the store refuses it, and says why
    )`,
    // What the scans of the store found and another scan has to confirm.
    `CREATE TABLE scan_findings (
      object_key TEXT PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('unowned', 'missing')), -- an object, or a file without one
      scan INTEGER NOT NULL,                   -- the last one that found it
      found_at INTEGER NOT NULL,               -- by the first one in a row
      version TEXT NOT NULL                    -- of an unowned object; empty for a missing one
    ) WITHOUT ROWID`,
    `CREATE TABLE file_counts (
      user_id TEXT NOT NULL,                   -- '*' for all users together, '-' for files without one
      status TEXT NOT NULL,
      upload_type TEXT NOT NULL,
      files INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      duration_ms INTEGER NOT NULL,
      trashed_files INTEGER NOT NULL DEFAULT 0, -- of \`files\` and \`bytes\`, what is in the trash
      trashed_bytes INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (user_id, status, upload_type)
    ) WITHOUT ROWID`,
    // Whoever owns or has owned files, in the order of their names.
    `CREATE TABLE file_owners (
      user_id TEXT PRIMARY KEY,                -- '-' for files without one
      login TEXT NOT NULL COLLATE NOCASE,      -- of the user; empty when unknown
      UNIQUE (login, user_id)
    ) WITHOUT ROWID`,
    `CREATE INDEX files_upload ON files (upload_id)`,
    `CREATE INDEX files_vod ON files (vod_id, upload_type, status) WHERE vod_id IS NOT NULL`,
    // Each order includes the filters' columns, so that passing over rows needs only the index.
    `CREATE INDEX files_by_date ON files (last_modified_at, seq, status, upload_type)`,
    `CREATE INDEX files_by_name ON files (filename COLLATE NOCASE, seq, status, upload_type)`,
    `CREATE INDEX files_by_size ON files (size_bytes, seq, status, upload_type)`,
    `CREATE INDEX files_by_status ON files (status, upload_type, seq)`,
    `CREATE INDEX files_by_recording ON files (recorded_at, seq, status, upload_type)`,
    `CREATE INDEX files_by_length
      ON files (json_extract(metadata, '$.durationSec'), seq, status, upload_type)`,
    `CREATE INDEX files_of_user_by_recording
      ON files (user_id, recorded_at, seq, status, upload_type)`,
    `CREATE INDEX files_trash ON files (trash_until, seq, size_bytes) WHERE trash_until IS NOT NULL`,
    `CREATE INDEX files_by_verification ON files (verified_at)`,
    `CREATE VIEW file_texts AS
      SELECT seq, ${marked("coalesce(filename, '')")} AS filename, ${marked("object_key")} AS object_key,
        ${marked(`coalesce(${titleOf("")}, '')`)} AS title
      FROM files`,
    searchIndex("file", TEXTS),
    `CREATE TRIGGER files_inserted AFTER INSERT ON files BEGIN
      ${COUNT_NEW}
      ${NOTE_STORED("new")}
      ${indexRow("file", TEXTS)}
    END`,
    `CREATE TRIGGER files_recounted
      AFTER UPDATE OF user_id, status, upload_type, size_bytes, trash_until, metadata ON files
      WHEN NOT ${IS_COUNTED_ALIKE} BEGIN
      ${UNCOUNT_OLD}
      ${COUNT_NEW}
      ${NOTE_STORED("new")}
    END`,
    // An unfinished file grows with each part, so that this writes less.
    `CREATE TRIGGER files_resized AFTER UPDATE OF size_bytes ON files
      WHEN old.size_bytes <> new.size_bytes AND ${IS_COUNTED_ALIKE} BEGIN
      UPDATE file_counts SET bytes = bytes + new.size_bytes - old.size_bytes, trashed_bytes =
          trashed_bytes + iif(new.trash_until IS NULL, 0, new.size_bytes - old.size_bytes)
        WHERE user_id IN ('*', coalesce(new.user_id, '-'))
          AND status = new.status AND upload_type = new.upload_type;
    END`,
    `CREATE TRIGGER files_reindexed AFTER UPDATE OF filename, object_key, metadata ON files
      WHEN old.filename IS NOT new.filename OR old.object_key <> new.object_key
        OR ${titleOf("old.")} IS NOT ${titleOf("new.")} BEGIN
      DELETE FROM file_search WHERE rowid = old.seq;
      ${indexRow("file", TEXTS)}
    END`,
    `CREATE TRIGGER files_deleted AFTER DELETE ON files BEGIN
      ${UNCOUNT_OLD}
      ${NOTE_STORED("old")}
      DELETE FROM file_search WHERE rowid = old.seq;
    END`,
  ],
};
