import type { Migration } from "../migration.ts";

/**
 * Users, their sessions and saved views.
 *
 * Columns ending in `_at` are milliseconds since 1970; sizes are bytes.
 */
export const accounts: Migration = {
  name: "0001-accounts",
  statements: [
    `CREATE TABLE IF NOT EXISTS users (
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
      consented_at INTEGER,                    -- unused: signing in is no consent (0013-consents.ts)
      last_login_at INTEGER,
      created_at INTEGER NOT NULL
    )`,
    // One row per sign-in. Tokens are stored as SHA-256 only.
    `CREATE TABLE IF NOT EXISTS sessions (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id),
      cookie_hash TEXT NOT NULL UNIQUE,
      bearer_hash TEXT NOT NULL UNIQUE,
      previous_bearer_hash TEXT UNIQUE,               -- its reuse after rotation revokes the session
      rotated_at INTEGER,
      bearer_expires_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,             -- absolute
      revoked_at INTEGER,
      revoked_reason TEXT,
      twitch_access_token TEXT,                -- encrypted with SECRET_KEY
      twitch_refresh_token TEXT,               -- encrypted with SECRET_KEY
      twitch_validated_at INTEGER
    )`,
    `CREATE TABLE IF NOT EXISTS session_clients (
      session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
      user_agent TEXT,
      address TEXT
    )`,
    `CREATE TABLE IF NOT EXISTS stream_tickets (
      ticket_hash TEXT PRIMARY KEY,
      session_id TEXT NOT NULL REFERENCES sessions (id),
      expires_at INTEGER NOT NULL
    )`,
    `CREATE TABLE IF NOT EXISTS used_login_states (
      state_hash TEXT PRIMARY KEY,
      expires_at INTEGER NOT NULL
    )`,
    `CREATE TABLE IF NOT EXISTS saved_views (
      seq INTEGER PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id),
      screen TEXT NOT NULL,
      name TEXT NOT NULL,
      search TEXT NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (user_id, screen, name)
    )`,
    // Lists recipients without reading every user.
    `CREATE INDEX IF NOT EXISTS users_administrators ON users (id) WHERE permissions <> '[]'`,
  ],
};
