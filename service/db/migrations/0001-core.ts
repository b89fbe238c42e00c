import type { Migration } from "../migration.ts";

/**
 * Users, sessions, uploads with their checkpoint, stored files, audit and logs.
 *
 * Columns ending in `_at` are milliseconds since 1970; sizes are bytes. Triggers maintain the
 * counts, so no write can miss them.
 */
export const core: Migration = {
  name: "0001-core",
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
      consented_at INTEGER,                    -- first sign-in: agrees to have own VODs archived
      last_login_at INTEGER,
      created_at INTEGER NOT NULL
    )`,
    `CREATE TABLE IF NOT EXISTS login_states (
      state_hash TEXT PRIMARY KEY,
      browser_hash TEXT NOT NULL,              -- of the cookie that binds the state to one browser
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    )`,
    // One row per sign-in. Tokens are stored as SHA-256 only.
    `CREATE TABLE IF NOT EXISTS sessions (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id),
      cookie_hash TEXT NOT NULL UNIQUE,
      bearer_hash TEXT NOT NULL UNIQUE,
      previous_bearer_hash TEXT,               -- its reuse after rotation revokes the session
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
    `CREATE INDEX IF NOT EXISTS sessions_user ON sessions (user_id)`,
    `CREATE INDEX IF NOT EXISTS sessions_previous_bearer ON sessions (previous_bearer_hash)`,
    `CREATE TABLE IF NOT EXISTS stream_tickets (
      ticket_hash TEXT PRIMARY KEY,
      session_id TEXT NOT NULL REFERENCES sessions (id),
      expires_at INTEGER NOT NULL
    )`,
    `CREATE TABLE IF NOT EXISTS uploads (
      seq INTEGER PRIMARY KEY,                 -- order of creation; pages seek on it
      id TEXT NOT NULL UNIQUE,
      version INTEGER NOT NULL DEFAULT 1,
      kind TEXT NOT NULL CHECK (kind IN ('twitch', 'manual')),
      vod_id TEXT,
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
      multipart_id TEXT,
      part_size_bytes INTEGER
    )`,
    `CREATE INDEX IF NOT EXISTS uploads_status ON uploads (status, seq)`,
    `CREATE INDEX IF NOT EXISTS uploads_vod ON uploads (vod_id) WHERE vod_id IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS uploads_owner ON uploads (owner_id, seq)`,
    `CREATE INDEX IF NOT EXISTS uploads_failed ON uploads (failed_at, seq) WHERE status = 'failed'`,
    `CREATE INDEX IF NOT EXISTS uploads_created ON uploads (created_at)`,
    // For the sweep, which reads unfinished uploads.
    `CREATE INDEX IF NOT EXISTS uploads_open ON uploads (next_attempt_at) WHERE status IN ('pending', 'processing')`,
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
      end_seam_sha256 TEXT,                    -- of the last bytes before the cursor: a resume must fetch the same
      finished_units TEXT NOT NULL,            -- JSON: sizes of the units that ended in this part; null: gone for good
      PRIMARY KEY (upload_id, part_number)
    ) WITHOUT ROWID`,
    // Multipart uploads and objects to be deleted; retried until the store confirms.
    `CREATE TABLE IF NOT EXISTS store_removals (
      seq INTEGER PRIMARY KEY,
      object_key TEXT NOT NULL,
      multipart_id TEXT,                       -- set: abort this multipart; null: delete the object
      not_before_at INTEGER NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0
    )`,
    `CREATE TABLE IF NOT EXISTS files (
      seq INTEGER PRIMARY KEY,
      object_key TEXT NOT NULL UNIQUE,
      upload_id TEXT,
      user_id TEXT,
      vod_id TEXT,
      filename TEXT,
      size_bytes INTEGER NOT NULL,
      upload_type TEXT NOT NULL CHECK (upload_type IN ('twitch', 'manual', 'chunk')),
      status TEXT NOT NULL CHECK (status IN ('complete', 'partial', 'orphaned')),
      content_type TEXT NOT NULL,
      sha256 TEXT,
      metadata TEXT NOT NULL DEFAULT '{}',
      last_modified_at INTEGER NOT NULL
    )`,
    `CREATE INDEX IF NOT EXISTS files_user ON files (user_id, seq)`,
    `CREATE INDEX IF NOT EXISTS files_upload ON files (upload_id)`,
    // Maintained counts, changed in the batch that changes the rows they count.
    `CREATE TABLE IF NOT EXISTS counters (
      name TEXT PRIMARY KEY,
      value INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS audit (
      seq INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      actor_id TEXT,
      action TEXT NOT NULL,
      target TEXT,
      result TEXT NOT NULL CHECK (result IN ('done', 'refused')),
      reason TEXT,
      before TEXT,
      after TEXT,
      request_id TEXT
    )`,
    `CREATE INDEX IF NOT EXISTS audit_actor ON audit (actor_id, seq)`,
    `CREATE TABLE IF NOT EXISTS logs (
      seq INTEGER PRIMARY KEY,
      level TEXT NOT NULL CHECK (level IN ('error', 'warn', 'info', 'debug')),
      at INTEGER NOT NULL,
      message TEXT NOT NULL,
      meta TEXT
    )`,
    `CREATE INDEX IF NOT EXISTS logs_level ON logs (level, seq)`,
    // Outbox of notification events; the dispatcher fans each out to channels.
    `CREATE TABLE IF NOT EXISTS notification_events (
      seq INTEGER PRIMARY KEY,
      type TEXT NOT NULL,
      subject TEXT,                            -- what it is about, e.g. an upload's id
      title TEXT NOT NULL,
      body TEXT NOT NULL,
      link TEXT,                               -- a path of the console
      created_at INTEGER NOT NULL,
      dispatched_at INTEGER
    )`,
    `CREATE INDEX IF NOT EXISTS notification_events_waiting
      ON notification_events (seq) WHERE dispatched_at IS NULL`,
    `INSERT OR IGNORE INTO counters (name) VALUES
      ('uploads.pending'), ('uploads.processing'), ('uploads.completed'), ('uploads.failed'), ('uploads.cancelled'),
      ('files.complete'), ('files.partial'), ('files.orphaned'),
      ('files.twitch'), ('files.manual'), ('files.chunk'), ('files.bytes'),
      ('users.total'), ('users.admins'), ('users.banned')`,
    `CREATE TRIGGER IF NOT EXISTS uploads_inserted AFTER INSERT ON uploads BEGIN
      UPDATE counters SET value = value + 1 WHERE name = 'uploads.' || new.status;
    END`,
    `CREATE TRIGGER IF NOT EXISTS uploads_moved AFTER UPDATE OF status ON uploads WHEN old.status <> new.status BEGIN
      UPDATE counters SET value = value + CASE name WHEN 'uploads.' || new.status THEN 1 ELSE -1 END
        WHERE name IN ('uploads.' || old.status, 'uploads.' || new.status);
    END`,
    `CREATE TRIGGER IF NOT EXISTS uploads_deleted AFTER DELETE ON uploads BEGIN
      UPDATE counters SET value = value - 1 WHERE name = 'uploads.' || old.status;
    END`,
    `CREATE TRIGGER IF NOT EXISTS files_inserted AFTER INSERT ON files BEGIN
      UPDATE counters SET value = value + 1 WHERE name IN ('files.' || new.status, 'files.' || new.upload_type);
      UPDATE counters SET value = value + new.size_bytes WHERE name = 'files.bytes';
    END`,
    `CREATE TRIGGER IF NOT EXISTS files_changed AFTER UPDATE OF status, upload_type, size_bytes ON files BEGIN
      UPDATE counters SET value = value - 1 WHERE name IN ('files.' || old.status, 'files.' || old.upload_type);
      UPDATE counters SET value = value + 1 WHERE name IN ('files.' || new.status, 'files.' || new.upload_type);
      UPDATE counters SET value = value + new.size_bytes - old.size_bytes WHERE name = 'files.bytes';
    END`,
    `CREATE TRIGGER IF NOT EXISTS files_deleted AFTER DELETE ON files BEGIN
      UPDATE counters SET value = value - 1 WHERE name IN ('files.' || old.status, 'files.' || old.upload_type);
      UPDATE counters SET value = value - old.size_bytes WHERE name = 'files.bytes';
    END`,
    `CREATE TRIGGER IF NOT EXISTS users_inserted AFTER INSERT ON users BEGIN
      UPDATE counters SET value = value + 1 WHERE name = 'users.total';
      UPDATE counters SET value = value + (new.permissions <> '[]') WHERE name = 'users.admins';
      UPDATE counters SET value = value + (new.banned_at IS NOT NULL) WHERE name = 'users.banned';
    END`,
    `CREATE TRIGGER IF NOT EXISTS users_changed AFTER UPDATE OF permissions, banned_at ON users BEGIN
      UPDATE counters SET value = value + (new.permissions <> '[]') - (old.permissions <> '[]')
        WHERE name = 'users.admins';
      UPDATE counters SET value = value + (new.banned_at IS NOT NULL) - (old.banned_at IS NOT NULL)
        WHERE name = 'users.banned';
    END`,
  ],
};
