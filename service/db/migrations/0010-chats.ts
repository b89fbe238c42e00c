import type { Migration } from "../migration.ts";

/** Chat replays, read beside the uploads and after them, and the pieces read so far. */
export const chats: Migration = {
  name: "0010-chats",
  statements: [
    `CREATE TABLE IF NOT EXISTS chats (
      upload_id TEXT PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
      state TEXT NOT NULL CHECK (state IN ('reading', 'complete', 'partial', 'gone', 'none')),
      has_ended INTEGER NOT NULL,              -- the broadcast had ended when the upload began
      pieces INTEGER NOT NULL DEFAULT 0,       -- the number of the next piece
      read_until_sec REAL,                     -- the last comment in the pieces
      stored_until_sec REAL,                   -- the last comment in the stored chat
      next_attempt_at INTEGER NOT NULL DEFAULT 0,
      attempts INTEGER NOT NULL DEFAULT 0,     -- tries in a row that read nothing
      gone_answers INTEGER NOT NULL DEFAULT 0, -- "no such video" in a row
      epoch INTEGER NOT NULL DEFAULT 0,        -- grows with every lease; a write with an older one is refused
      lease_owner TEXT,
      lease_until INTEGER
    ) WITHOUT ROWID`,
    `CREATE INDEX IF NOT EXISTS chats_due ON chats (next_attempt_at) WHERE state = 'reading'`,
    `CREATE INDEX IF NOT EXISTS chats_missing ON chats (upload_id)
      WHERE state IN ('partial', 'gone', 'none')`,
    `CREATE TABLE IF NOT EXISTS chat_pieces (
      upload_id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      object_key TEXT NOT NULL,
      size_bytes INTEGER NOT NULL,
      PRIMARY KEY (upload_id, number)
    ) WITHOUT ROWID`,
    `INSERT INTO chats (upload_id, state, has_ended, stored_until_sec)
      SELECT id,
        CASE WHEN chat_key IS NOT NULL THEN 'complete'
          WHEN status IN ('pending', 'processing') THEN 'reading' ELSE 'none' END,
        status NOT IN ('pending', 'processing'),
        CASE WHEN chat_key IS NOT NULL THEN duration_sec END
      FROM uploads WHERE kind = 'twitch'`,
    // Chat was a phase of the run.
    `UPDATE uploads SET phase = 'proving' WHERE phase = 'chat'`,
  ],
};
