import type { Migration } from "../migration.ts";
import { marked } from "../search.ts";
import { indexRow, searchIndex } from "./search-index.ts";

const TEXTS = ["name", "email", "id"];

const COUNT_NEW = `INSERT INTO user_counts (is_admin, is_banned, users)
      VALUES (new.permissions <> '[]', new.banned_at IS NOT NULL, 1)
      ON CONFLICT DO UPDATE SET users = users + 1;`;

/**
 * Users, their sessions and tokens.
 *
 * In all tables, columns ending in `_at` are milliseconds since 1970; sizes are bytes. Triggers keep
 * counts and search indexes, so that no write can miss them and a list's page, total and search
 * cost nearly the same for any number of rows.
 */
export const users: Migration = {
  name: "0001-users",
  statements: [
    `CREATE TABLE users (
      seq INTEGER PRIMARY KEY,                 -- what the search index refers to
      id TEXT NOT NULL UNIQUE,                 -- the numeric Twitch id: names are recycled, ids are not
      version INTEGER NOT NULL DEFAULT 1,
      login TEXT NOT NULL,
      display_name TEXT NOT NULL,
      email TEXT,
      profile_image_url TEXT,
      permissions TEXT NOT NULL DEFAULT '[]',  -- JSON list; administrator exactly when not empty
      is_admin INTEGER GENERATED ALWAYS AS (permissions <> '[]') VIRTUAL,
      banned_at INTEGER,
      ban_reason TEXT,
      last_login_at INTEGER,
      created_at INTEGER NOT NULL
    )`,
    // One row per sign-in. Tokens are stored as SHA-256 only.
    `CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id),
      cookie_hash TEXT NOT NULL UNIQUE,
      bearer_hash TEXT NOT NULL UNIQUE,
      bearer_family_hash TEXT UNIQUE,          -- a bearer of it that is not the newest revokes the session
      rotated_at INTEGER,
      bearer_expires_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,             -- absolute
      revoked_at INTEGER,
      revoked_reason TEXT,
      twitch_access_token TEXT,                -- encrypted with SECRET_KEY
      twitch_refresh_token TEXT,               -- encrypted with SECRET_KEY
      twitch_validated_at INTEGER,
      user_agent TEXT,                         -- of the browser that signed in
      address TEXT
    )`,
    // What works once or a few times, and only for minutes: a used state of a sign-in, a ticket for a
    // stream that was not used yet, a test message that was sent.
    `CREATE TABLE single_uses (
      kind TEXT NOT NULL CHECK (kind IN ('login_state', 'stream_ticket', 'test_message')),
      value TEXT NOT NULL,                     -- SHA-256 of a state or a ticket
      owner TEXT,                              -- a ticket's session; who sent a test message
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (kind, value)
    ) WITHOUT ROWID`,
    `CREATE TABLE api_tokens (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id),
      name TEXT NOT NULL,
      digest TEXT NOT NULL UNIQUE,             -- SHA-256 of the token, which is not stored
      permissions TEXT NOT NULL,               -- JSON list; of these, those that the owner holds apply
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      last_used_at INTEGER,                    -- written at most once a minute
      last_used_address TEXT
    )`,
    `CREATE TABLE user_counts (
      is_admin INTEGER NOT NULL,
      is_banned INTEGER NOT NULL,
      users INTEGER NOT NULL,
      PRIMARY KEY (is_admin, is_banned)
    ) WITHOUT ROWID`,
    // Lists recipients without reading every user.
    `CREATE INDEX users_administrators ON users (id) WHERE permissions <> '[]'`,
    `CREATE INDEX users_by_login_time ON users (last_login_at, seq, permissions, banned_at)`,
    `CREATE INDEX users_by_name ON users (display_name COLLATE NOCASE, seq, permissions, banned_at)`,
    `CREATE VIEW user_texts AS
      SELECT seq, ${marked("login")} || ${marked("display_name")} AS name,
        ${marked("coalesce(email, '')")} AS email, ${marked("id")} AS id
      FROM users`,
    searchIndex("user", TEXTS),
    `CREATE TRIGGER users_inserted AFTER INSERT ON users BEGIN
      ${COUNT_NEW}
      ${indexRow("user", TEXTS)}
      UPDATE file_owners SET login = new.login WHERE user_id = new.id;
    END`,
    `CREATE TRIGGER users_recounted AFTER UPDATE OF permissions, banned_at ON users
      WHEN (old.permissions = '[]') <> (new.permissions = '[]')
        OR (old.banned_at IS NULL) <> (new.banned_at IS NULL) BEGIN
      UPDATE user_counts SET users = users - 1
        WHERE is_admin = (old.permissions <> '[]') AND is_banned = (old.banned_at IS NOT NULL);
      ${COUNT_NEW}
    END`,
    `CREATE TRIGGER users_renamed AFTER UPDATE OF login, display_name, email ON users
      WHEN old.login <> new.login OR old.display_name <> new.display_name
        OR old.email IS NOT new.email BEGIN
      DELETE FROM user_search WHERE rowid = old.seq;
      ${indexRow("user", TEXTS)}
      UPDATE file_owners SET login = new.login WHERE user_id = new.id;
    END`,
  ],
};
