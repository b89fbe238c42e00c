import type { Migration } from "../migration.ts";
import { facet, MAX_INDEXED_CHARACTERS, searchIndexes } from "./search-indexes.ts";

/**
 * Keeps the cost of a list's page, total and search independent of the number of rows. Everything
 * here is derived from the base tables by triggers, so no write can miss it.
 *
 * - *Counts* for every filter of a list: totals are read, not counted.
 * - *Blocks*: the number of uploads per status in each run of 1,024 row numbers. The row at any
 *   offset is found by adding up at most a thousand blocks instead of skipping rows.
 * - *Search*: two full-text indexes per list. A trigram index serves three or more characters; an
 *   index of single and double characters serves shorter terms. A row's status is a token in both,
 *   so that a search within a rare status does not read every match.
 */

const uploadCounts: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS upload_blocks (
    status TEXT NOT NULL,                    -- or 'all'
    block INTEGER NOT NULL,                  -- seq / 1024
    uploads INTEGER NOT NULL,
    PRIMARY KEY (status, block)
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS owner_uploads (
    owner_id TEXT NOT NULL,
    status TEXT NOT NULL,
    uploads INTEGER NOT NULL,
    PRIMARY KEY (owner_id, status)
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS failed_uploads (
    failure_class TEXT NOT NULL,
    can_retry INTEGER NOT NULL,
    uploads INTEGER NOT NULL,
    PRIMARY KEY (failure_class, can_retry)
  ) WITHOUT ROWID`,
  // Days since 1970 in UTC, by creation.
  `CREATE TABLE IF NOT EXISTS upload_days (
    day INTEGER PRIMARY KEY,
    uploads INTEGER NOT NULL
  )`,
  `CREATE TRIGGER IF NOT EXISTS uploads_counted AFTER INSERT ON uploads BEGIN
    INSERT INTO upload_blocks (status, block, uploads)
      VALUES ('all', new.seq / 1024, 1), (new.status, new.seq / 1024, 1)
      ON CONFLICT DO UPDATE SET uploads = uploads + 1;
    INSERT INTO owner_uploads (owner_id, status, uploads) VALUES (new.owner_id, new.status, 1)
      ON CONFLICT DO UPDATE SET uploads = uploads + 1;
    INSERT INTO upload_days (day, uploads) VALUES (new.created_at / 86400000, 1)
      ON CONFLICT DO UPDATE SET uploads = uploads + 1;
  END`,
  `CREATE TRIGGER IF NOT EXISTS uploads_recounted AFTER UPDATE OF status ON uploads
    WHEN old.status <> new.status BEGIN
    UPDATE upload_blocks SET uploads = uploads - 1 WHERE status = old.status AND block = old.seq / 1024;
    INSERT INTO upload_blocks (status, block, uploads) VALUES (new.status, new.seq / 1024, 1)
      ON CONFLICT DO UPDATE SET uploads = uploads + 1;
    UPDATE owner_uploads SET uploads = uploads - 1 WHERE owner_id = old.owner_id AND status = old.status;
    INSERT INTO owner_uploads (owner_id, status, uploads) VALUES (new.owner_id, new.status, 1)
      ON CONFLICT DO UPDATE SET uploads = uploads + 1;
  END`,
  `CREATE TRIGGER IF NOT EXISTS uploads_uncounted AFTER DELETE ON uploads BEGIN
    UPDATE upload_blocks SET uploads = uploads - 1
      WHERE status IN ('all', old.status) AND block = old.seq / 1024;
    UPDATE owner_uploads SET uploads = uploads - 1 WHERE owner_id = old.owner_id AND status = old.status;
    UPDATE upload_days SET uploads = uploads - 1 WHERE day = old.created_at / 86400000;
  END`,
  `CREATE TRIGGER IF NOT EXISTS uploads_failed_counted AFTER INSERT ON uploads WHEN new.status = 'failed' BEGIN
    INSERT INTO failed_uploads (failure_class, can_retry, uploads)
      VALUES (coalesce(new.failure_class, 'ours'), new.retry_count < new.max_retries, 1)
      ON CONFLICT DO UPDATE SET uploads = uploads + 1;
  END`,
  `CREATE TRIGGER IF NOT EXISTS uploads_failed_recounted
    AFTER UPDATE OF status, failure_class, retry_count, max_retries ON uploads
    WHEN old.status = 'failed' OR new.status = 'failed' BEGIN
    UPDATE failed_uploads SET uploads = uploads - 1
      WHERE old.status = 'failed' AND failure_class = coalesce(old.failure_class, 'ours')
        AND can_retry = (old.retry_count < old.max_retries);
    INSERT INTO failed_uploads (failure_class, can_retry, uploads)
      SELECT coalesce(new.failure_class, 'ours'), new.retry_count < new.max_retries, 1
      WHERE new.status = 'failed'
      ON CONFLICT DO UPDATE SET uploads = uploads + 1;
  END`,
  `CREATE TRIGGER IF NOT EXISTS uploads_failed_uncounted AFTER DELETE ON uploads WHEN old.status = 'failed' BEGIN
    UPDATE failed_uploads SET uploads = uploads - 1
      WHERE failure_class = coalesce(old.failure_class, 'ours')
        AND can_retry = (old.retry_count < old.max_retries);
  END`,
];

const uploadIndexes: readonly string[] = [
  `CREATE INDEX IF NOT EXISTS uploads_filename ON uploads (filename COLLATE NOCASE)`,
  `CREATE INDEX IF NOT EXISTS uploads_status_filename ON uploads (status, filename COLLATE NOCASE)`,
  `CREATE INDEX IF NOT EXISTS uploads_size ON uploads (source_bytes)`,
  `CREATE INDEX IF NOT EXISTS uploads_status_size ON uploads (status, source_bytes)`,
  `CREATE INDEX IF NOT EXISTS uploads_failed_class
    ON uploads (coalesce(failure_class, 'ours'), failed_at) WHERE status = 'failed'`,
  `CREATE INDEX IF NOT EXISTS uploads_initiator ON uploads (initiated_by, status)`,
];

const COUNT_OWNED_FILE = `
    INSERT INTO file_owners (user_id, login, files, bytes)
      VALUES (coalesce(new.user_id, '-'),
        coalesce((SELECT login FROM users WHERE id = new.user_id), ''), 1, new.size_bytes)
      ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;`;

const UNCOUNT_OWNED_FILE = `
    UPDATE file_owners SET files = files - 1, bytes = bytes - old.size_bytes
      WHERE user_id = coalesce(old.user_id, '-');`;

const fileCounts: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS file_counts (
    user_id TEXT NOT NULL,                   -- '*' for all users together, '-' for files without one
    status TEXT NOT NULL,
    upload_type TEXT NOT NULL,
    files INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (user_id, status, upload_type)
  ) WITHOUT ROWID`,
  // File owners in the order of their names.
  `CREATE TABLE IF NOT EXISTS file_owners (
    user_id TEXT PRIMARY KEY,                -- '-' for files without one
    login TEXT NOT NULL COLLATE NOCASE,      -- of the user; empty when unknown
    files INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS file_owners_by_login ON file_owners (login, user_id, files, bytes)`,
  `CREATE TRIGGER IF NOT EXISTS users_own_files AFTER INSERT ON users BEGIN
    UPDATE file_owners SET login = new.login WHERE user_id = new.id;
  END`,
  `CREATE TRIGGER IF NOT EXISTS users_rename_files AFTER UPDATE OF login ON users BEGIN
    UPDATE file_owners SET login = new.login WHERE user_id = new.id;
  END`,
  `CREATE TRIGGER IF NOT EXISTS files_counted AFTER INSERT ON files BEGIN
    ${COUNT_OWNED_FILE}
    INSERT INTO file_counts (user_id, status, upload_type, files, bytes)
      VALUES ('*', new.status, new.upload_type, 1, new.size_bytes),
        (coalesce(new.user_id, '-'), new.status, new.upload_type, 1, new.size_bytes)
      ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
  END`,
  `CREATE TRIGGER IF NOT EXISTS files_recounted AFTER UPDATE OF user_id, status, upload_type, size_bytes ON files
    WHEN old.user_id IS NOT new.user_id OR old.status <> new.status
      OR old.upload_type <> new.upload_type OR old.size_bytes <> new.size_bytes BEGIN
    UPDATE file_counts SET files = files - 1, bytes = bytes - old.size_bytes
      WHERE user_id IN ('*', coalesce(old.user_id, '-'))
        AND status = old.status AND upload_type = old.upload_type;
    INSERT INTO file_counts (user_id, status, upload_type, files, bytes)
      VALUES ('*', new.status, new.upload_type, 1, new.size_bytes),
        (coalesce(new.user_id, '-'), new.status, new.upload_type, 1, new.size_bytes)
      ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
    ${UNCOUNT_OWNED_FILE}
    ${COUNT_OWNED_FILE}
  END`,
  `CREATE TRIGGER IF NOT EXISTS files_uncounted AFTER DELETE ON files BEGIN
    ${UNCOUNT_OWNED_FILE}
    UPDATE file_counts SET files = files - 1, bytes = bytes - old.size_bytes
      WHERE user_id IN ('*', coalesce(old.user_id, '-'))
        AND status = old.status AND upload_type = old.upload_type;
  END`,
];

// Each order includes the filters' columns, so that skipping rows needs only the index.
const fileIndexes: readonly string[] = [
  `CREATE INDEX IF NOT EXISTS files_by_date ON files (last_modified_at, seq, status, upload_type)`,
  `CREATE INDEX IF NOT EXISTS files_by_name ON files (filename COLLATE NOCASE, seq, status, upload_type)`,
  `CREATE INDEX IF NOT EXISTS files_by_size ON files (size_bytes, seq, status, upload_type)`,
  `CREATE INDEX IF NOT EXISTS files_by_status ON files (status, upload_type, last_modified_at)`,
  `CREATE INDEX IF NOT EXISTS files_by_user ON files (user_id, last_modified_at, seq, status, upload_type)`,
];

const userCounts: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS user_counts (
    is_admin INTEGER NOT NULL,
    is_banned INTEGER NOT NULL,
    users INTEGER NOT NULL,
    PRIMARY KEY (is_admin, is_banned)
  ) WITHOUT ROWID`,
  `CREATE TRIGGER IF NOT EXISTS users_counted AFTER INSERT ON users BEGIN
    INSERT INTO user_counts (is_admin, is_banned, users)
      VALUES (new.permissions <> '[]', new.banned_at IS NOT NULL, 1)
      ON CONFLICT DO UPDATE SET users = users + 1;
  END`,
  `CREATE TRIGGER IF NOT EXISTS users_recounted AFTER UPDATE OF permissions, banned_at ON users BEGIN
    UPDATE user_counts SET users = users - 1
      WHERE is_admin = (old.permissions <> '[]') AND is_banned = (old.banned_at IS NOT NULL);
    INSERT INTO user_counts (is_admin, is_banned, users)
      VALUES (new.permissions <> '[]', new.banned_at IS NOT NULL, 1)
      ON CONFLICT DO UPDATE SET users = users + 1;
  END`,
];

const userIndexes: readonly string[] = [
  `CREATE INDEX IF NOT EXISTS users_by_login_time ON users (last_login_at, seq, permissions, banned_at)`,
  `CREATE INDEX IF NOT EXISTS users_by_name
    ON users (display_name COLLATE NOCASE, seq, permissions, banned_at)`,
  `CREATE INDEX IF NOT EXISTS users_by_creation ON users (created_at, seq, permissions, banned_at)`,
  `CREATE INDEX IF NOT EXISTS users_admins ON users (seq, banned_at, permissions) WHERE permissions <> '[]'`,
  `CREATE INDEX IF NOT EXISTS users_banned ON users (seq) WHERE banned_at IS NOT NULL`,
];

const searchTexts: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS text_positions (n INTEGER PRIMARY KEY)`,
  `INSERT OR IGNORE INTO text_positions (n)
    WITH RECURSIVE counted (n) AS (
      SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${MAX_INDEXED_CHARACTERS})
    SELECT n FROM counted`,
  `CREATE VIEW IF NOT EXISTS upload_texts AS
    SELECT u.seq, u.filename, coalesce(u.title, '') AS title,
      o.login || char(31) || o.display_name AS owner,
      coalesce(u.error_message, '') AS error, ${facet("u.status")} AS status
    FROM uploads u LEFT JOIN users o ON o.id = u.owner_id`,
  `CREATE VIEW IF NOT EXISTS file_texts AS
    SELECT seq, coalesce(filename, '') AS filename, object_key,
      ${facet("status")} AS status, ${facet("upload_type")} AS upload_type
    FROM files`,
  `CREATE VIEW IF NOT EXISTS user_texts AS
    SELECT seq, login || char(31) || display_name AS name, coalesce(email, '') AS email, id,
      CASE WHEN permissions <> '[]' THEN 'ad§' ELSE 'us§' END AS role,
      CASE WHEN banned_at IS NOT NULL THEN 'ba§' ELSE 'ac§' END AS standing
    FROM users`,
  // An upload's text includes the owner's name; a task reindexes uploads after a name change.
  `CREATE TABLE IF NOT EXISTS renamed_users (
    user_id TEXT PRIMARY KEY,
    indexed_to INTEGER NOT NULL DEFAULT 0    -- uploads up to this seq carry the new name
  ) WITHOUT ROWID`,
  `CREATE TRIGGER IF NOT EXISTS users_renamed AFTER UPDATE OF login, display_name ON users
    WHEN old.login <> new.login OR old.display_name <> new.display_name BEGIN
    INSERT INTO renamed_users (user_id) VALUES (new.id) ON CONFLICT DO UPDATE SET indexed_to = 0;
  END`,
];

export const lists: Migration = {
  name: "0002-lists",
  statements: [
    ...uploadCounts,
    ...uploadIndexes,
    ...fileCounts,
    ...fileIndexes,
    ...userCounts,
    ...userIndexes,
    ...searchTexts,
    ...searchIndexes({
      table: "uploads",
      name: "upload",
      texts: ["filename", "title", "owner", "error"],
      facets: ["status"],
      sources: ["filename", "title", "owner_id", "error_message", "status"],
    }),
    ...searchIndexes({
      table: "files",
      name: "file",
      texts: ["filename", "object_key"],
      facets: ["status", "upload_type"],
      sources: ["filename", "object_key", "status", "upload_type"],
    }),
    ...searchIndexes({
      table: "users",
      name: "user",
      texts: ["name", "email", "id"],
      facets: ["role", "standing"],
      sources: ["login", "display_name", "email", "permissions", "banned_at"],
    }),
  ],
};
