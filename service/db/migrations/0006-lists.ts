import type { Migration } from "../migration.ts";
import { marked } from "../search.ts";

/**
 * Keeps the cost of a list's page, total and search nearly independent of the number of rows.
 * Triggers derive counts and search indexes from the base tables, so no write can miss them. None
 * of them runs when only the progress of an upload changes.
 */
const uploadLists: readonly string[] = [
  // For uploads that have not failed, the class is empty and can_retry 0.
  `CREATE TABLE IF NOT EXISTS upload_counts (
    status TEXT NOT NULL,
    failure_class TEXT NOT NULL,
    can_retry INTEGER NOT NULL,
    uploads INTEGER NOT NULL,
    PRIMARY KEY (status, failure_class, can_retry)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS uploads_status ON uploads (status, seq)`,
  `CREATE INDEX IF NOT EXISTS uploads_filename ON uploads (filename COLLATE NOCASE)`,
  `CREATE INDEX IF NOT EXISTS uploads_size ON uploads (source_bytes)`,
  `CREATE INDEX IF NOT EXISTS uploads_failed ON uploads (failed_at, seq, coalesce(failure_class, 'ours'))
    WHERE status = 'failed'`,
  // Errors are searched on the Failed screen only.
  `CREATE VIEW IF NOT EXISTS upload_texts AS
    SELECT u.seq, ${marked("u.filename")} AS filename, ${marked("coalesce(u.title, '')")} AS title,
      ${marked("o.login")} || ${marked("o.display_name")} AS owner,
      CASE u.status WHEN 'failed' THEN ${marked("coalesce(u.error_message, '')")} ELSE '' END AS error
    FROM uploads u LEFT JOIN users o ON o.id = u.owner_id`,
  searchIndex("upload_search", ["filename", "title", "owner", "error"]),
  // An upload's text includes the owner's name; a task reindexes uploads after a name change.
  `CREATE TABLE IF NOT EXISTS renamed_users (
    user_id TEXT PRIMARY KEY,
    indexed_to INTEGER NOT NULL DEFAULT 0    -- uploads up to this seq carry the new name
  ) WITHOUT ROWID`,
  `CREATE TRIGGER IF NOT EXISTS uploads_inserted AFTER INSERT ON uploads BEGIN
    ${countUpload()}
    ${indexRow("upload", ["filename", "title", "owner", "error"])}
  END`,
  `CREATE TRIGGER IF NOT EXISTS uploads_recounted
    AFTER UPDATE OF status, failure_class, retry_count, max_retries ON uploads
    WHEN old.status <> new.status OR (new.status = 'failed' AND (
      old.failure_class IS NOT new.failure_class
      OR (old.retry_count < old.max_retries) <> (new.retry_count < new.max_retries))) BEGIN
    ${uncountUpload()}
    ${countUpload()}
  END`,
  `CREATE TRIGGER IF NOT EXISTS uploads_reindexed
    AFTER UPDATE OF filename, title, owner_id, status, error_message ON uploads
    WHEN old.filename <> new.filename OR old.title IS NOT new.title OR old.owner_id <> new.owner_id
      OR CASE old.status WHEN 'failed' THEN old.error_message END
        IS NOT CASE new.status WHEN 'failed' THEN new.error_message END BEGIN
    DELETE FROM upload_search WHERE rowid = old.seq;
    ${indexRow("upload", ["filename", "title", "owner", "error"])}
  END`,
  `CREATE TRIGGER IF NOT EXISTS uploads_deleted AFTER DELETE ON uploads BEGIN
    ${uncountUpload()}
    DELETE FROM upload_search WHERE rowid = old.seq;
  END`,
];

// Each order includes the filters' columns, so that passing over rows needs only the index.
const fileLists: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS file_counts (
    user_id TEXT NOT NULL,                   -- '*' for all users together, '-' for files without one
    status TEXT NOT NULL,
    upload_type TEXT NOT NULL,
    files INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (user_id, status, upload_type)
  ) WITHOUT ROWID`,
  // Whoever owns or has owned files, in the order of their names.
  `CREATE TABLE IF NOT EXISTS file_owners (
    user_id TEXT PRIMARY KEY,                -- '-' for files without one
    login TEXT NOT NULL COLLATE NOCASE,      -- of the user; empty when unknown
    UNIQUE (login, user_id)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS files_by_date ON files (last_modified_at, seq, status, upload_type)`,
  `CREATE INDEX IF NOT EXISTS files_by_name ON files (filename COLLATE NOCASE, seq, status, upload_type)`,
  `CREATE INDEX IF NOT EXISTS files_by_size ON files (size_bytes, seq, status, upload_type)`,
  `CREATE INDEX IF NOT EXISTS files_by_status ON files (status, upload_type, seq)`,
  `CREATE VIEW IF NOT EXISTS file_texts AS
    SELECT seq, ${marked("coalesce(filename, '')")} AS filename, ${marked("object_key")} AS object_key
    FROM files`,
  searchIndex("file_search", ["filename", "object_key"]),
  `CREATE TRIGGER IF NOT EXISTS files_inserted AFTER INSERT ON files BEGIN
    ${countFile()}
    ${indexRow("file", ["filename", "object_key"])}
    INSERT INTO file_checks (object_key) VALUES (new.object_key) ON CONFLICT DO NOTHING;
  END`,
  `CREATE TRIGGER IF NOT EXISTS files_recounted AFTER UPDATE OF user_id, status, upload_type ON files
    WHEN old.user_id IS NOT new.user_id OR old.status <> new.status
      OR old.upload_type <> new.upload_type BEGIN
    ${uncountFile()}
    ${countFile()}
  END`,
  `CREATE TRIGGER IF NOT EXISTS files_resized AFTER UPDATE OF size_bytes ON files
    WHEN old.size_bytes <> new.size_bytes AND old.user_id IS new.user_id
      AND old.status = new.status AND old.upload_type = new.upload_type BEGIN
    UPDATE file_counts SET bytes = bytes + new.size_bytes - old.size_bytes
      WHERE user_id IN ('*', coalesce(new.user_id, '-'))
        AND status = new.status AND upload_type = new.upload_type;
  END`,
  `CREATE TRIGGER IF NOT EXISTS files_reindexed AFTER UPDATE OF filename, object_key ON files
    WHEN old.filename IS NOT new.filename OR old.object_key <> new.object_key BEGIN
    DELETE FROM file_search WHERE rowid = old.seq;
    ${indexRow("file", ["filename", "object_key"])}
  END`,
  `CREATE TRIGGER IF NOT EXISTS files_deleted AFTER DELETE ON files BEGIN
    ${uncountFile()}
    DELETE FROM file_search WHERE rowid = old.seq;
    DELETE FROM file_checks WHERE object_key = old.object_key;
    DELETE FROM unreadable_files WHERE object_key = old.object_key;
  END`,
];

const userLists: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS user_counts (
    is_admin INTEGER NOT NULL,
    is_banned INTEGER NOT NULL,
    users INTEGER NOT NULL,
    PRIMARY KEY (is_admin, is_banned)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS users_by_login_time ON users (last_login_at, seq, permissions, banned_at)`,
  `CREATE INDEX IF NOT EXISTS users_by_name
    ON users (display_name COLLATE NOCASE, seq, permissions, banned_at)`,
  `CREATE INDEX IF NOT EXISTS users_by_creation ON users (created_at, seq, permissions, banned_at)`,
  `CREATE VIEW IF NOT EXISTS user_texts AS
    SELECT seq, ${marked("login")} || ${marked("display_name")} AS name,
      ${marked("coalesce(email, '')")} AS email, ${marked("id")} AS id
    FROM users`,
  searchIndex("user_search", ["name", "email", "id"]),
  `CREATE TRIGGER IF NOT EXISTS users_inserted AFTER INSERT ON users BEGIN
    ${countUser()}
    ${indexRow("user", ["name", "email", "id"])}
    UPDATE file_owners SET login = new.login WHERE user_id = new.id;
  END`,
  `CREATE TRIGGER IF NOT EXISTS users_recounted AFTER UPDATE OF permissions, banned_at ON users
    WHEN (old.permissions = '[]') <> (new.permissions = '[]')
      OR (old.banned_at IS NULL) <> (new.banned_at IS NULL) BEGIN
    UPDATE user_counts SET users = users - 1
      WHERE is_admin = (old.permissions <> '[]') AND is_banned = (old.banned_at IS NOT NULL);
    ${countUser()}
  END`,
  `CREATE TRIGGER IF NOT EXISTS users_renamed AFTER UPDATE OF login, display_name, email ON users
    WHEN old.login <> new.login OR old.display_name <> new.display_name
      OR old.email IS NOT new.email BEGIN
    DELETE FROM user_search WHERE rowid = old.seq;
    ${indexRow("user", ["name", "email", "id"])}
    UPDATE file_owners SET login = new.login WHERE user_id = new.id;
    INSERT INTO renamed_users (user_id)
      SELECT new.id WHERE old.login <> new.login OR old.display_name <> new.display_name
      ON CONFLICT DO UPDATE SET indexed_to = 0;
  END`,
];

const auditLists: readonly string[] = [
  `CREATE INDEX IF NOT EXISTS audit_by_action ON audit (action, seq, actor_id, result)`,
  `CREATE INDEX IF NOT EXISTS audit_by_actor ON audit (actor_id, seq, action, result)`,
  `CREATE INDEX IF NOT EXISTS audit_by_result ON audit (result)`,
  // Names at the time of the entry.
  `CREATE VIEW IF NOT EXISTS audit_texts AS
    SELECT a.seq, ${marked("a.action")} AS action, ${marked("coalesce(a.target, '')")} AS target,
      ${marked("coalesce(u.login, '')")} || ${marked("coalesce(u.display_name, '')")} AS actor,
      ${marked("coalesce(a.reason, '')")} AS reason,
      ${marked("coalesce(a.request_id, '')")} AS request_id
    FROM audit a LEFT JOIN users u ON u.id = a.actor_id`,
  searchIndex("audit_search", ["action", "target", "actor", "reason", "request_id"]),
  `CREATE TRIGGER IF NOT EXISTS audit_inserted AFTER INSERT ON audit BEGIN
    ${indexRow("audit", ["action", "target", "actor", "reason", "request_id"])}
  END`,
  `CREATE TRIGGER IF NOT EXISTS audit_deleted AFTER DELETE ON audit BEGIN
    DELETE FROM audit_search WHERE rowid = old.seq;
  END`,
];

export const lists: Migration = {
  name: "0006-lists",
  statements: [
    ...uploadLists,
    ...fileLists,
    ...userLists,
    ...auditLists,
    // The totals that screens and metrics show.
    `CREATE VIEW IF NOT EXISTS counters (name, value) AS
      SELECT 'uploads.' || status, sum(uploads) FROM upload_counts WHERE uploads > 0 GROUP BY status
      UNION ALL SELECT key, value FROM json_each((
        SELECT json_object('files.total', coalesce(sum(files), 0),
          'files.bytes', coalesce(sum(bytes), 0)) FROM file_counts WHERE user_id = '*'))
      UNION ALL SELECT key, value FROM json_each((
        SELECT json_object('users.total', coalesce(sum(users), 0),
          'users.admins', coalesce(sum(users * is_admin), 0),
          'users.banned', coalesce(sum(users * is_banned), 0)) FROM user_counts))`,
  ],
};

/** Only numbers are kept; the texts are in the base tables. */
export function searchIndex(name: string, texts: readonly string[]): string {
  return `CREATE VIRTUAL TABLE IF NOT EXISTS ${name} USING fts5 (
    ${texts.join(", ")}, content='', contentless_delete=1, tokenize="trigram remove_diacritics 0")`;
}

export function indexRow(name: string, texts: readonly string[]): string {
  return `INSERT INTO ${name}_search (rowid, ${texts.join(", ")})
      SELECT seq, ${texts.join(", ")} FROM ${name}_texts WHERE seq = new.seq;`;
}

function countUpload(): string {
  return `INSERT INTO upload_counts (status, failure_class, can_retry, uploads)
      VALUES (new.status, ${classOf("new")}, ${canRetry("new")}, 1)
      ON CONFLICT DO UPDATE SET uploads = uploads + 1;`;
}

function uncountUpload(): string {
  return `UPDATE upload_counts SET uploads = uploads - 1 WHERE status = old.status
      AND failure_class = ${classOf("old")} AND can_retry = ${canRetry("old")};`;
}

function classOf(row: "old" | "new"): string {
  return `CASE ${row}.status WHEN 'failed' THEN coalesce(${row}.failure_class, 'ours') ELSE '' END`;
}

function canRetry(row: "old" | "new"): string {
  return `(${row}.status = 'failed' AND ${row}.retry_count < ${row}.max_retries)`;
}

export function countFile(): string {
  return `INSERT INTO file_owners (user_id, login)
      VALUES (coalesce(new.user_id, '-'),
        coalesce((SELECT login FROM users WHERE id = new.user_id), ''))
      ON CONFLICT DO NOTHING;
    INSERT INTO file_counts (user_id, status, upload_type, files, bytes)
      VALUES ('*', new.status, new.upload_type, 1, new.size_bytes),
        (coalesce(new.user_id, '-'), new.status, new.upload_type, 1, new.size_bytes)
      ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;`;
}

function uncountFile(): string {
  return `UPDATE file_counts SET files = files - 1, bytes = bytes - old.size_bytes
      WHERE user_id IN ('*', coalesce(old.user_id, '-'))
        AND status = old.status AND upload_type = old.upload_type;`;
}

function countUser(): string {
  return `INSERT INTO user_counts (is_admin, is_banned, users)
      VALUES (new.permissions <> '[]', new.banned_at IS NOT NULL, 1)
      ON CONFLICT DO UPDATE SET users = users + 1;`;
}
