import type { Migration } from "../migration.ts";

/** Chat replays, read beside the uploads and after them, and the pieces read so far. */
export const chats: Migration = {
  name: "0004-chats",
  statements: [
    `CREATE TABLE chats (
      upload_id TEXT PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
      state TEXT NOT NULL CHECK (state IN ('reading', 'complete', 'partial', 'gone', 'none')),
      has_ended INTEGER NOT NULL,              -- the broadcast had ended when the upload began
      pieces INTEGER NOT NULL DEFAULT 0,       -- the number of the next piece
      read_until_sec REAL,                     -- the last comment in the pieces
      stored_until_sec REAL,                   -- the last comment in the stored chat
      -- Seconds of which the source did not hand out all comments, as JSON: of what is read, and stored.
      short_seconds TEXT NOT NULL DEFAULT '[]',
      stored_short_seconds TEXT NOT NULL DEFAULT '[]',
      reread INTEGER NOT NULL DEFAULT 0,       -- which re-reading for these comes next; 0 for none
      gone_answers INTEGER NOT NULL DEFAULT 0, -- "no such video" in a row
      -- What was read since the last piece. Last, so that other columns are read without it.
      tail TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID`,
    `CREATE TABLE chat_pieces (
      upload_id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      object_key TEXT NOT NULL,
      size_bytes INTEGER NOT NULL,
      PRIMARY KEY (upload_id, number)
    ) WITHOUT ROWID`,
    // People whose names chat replays leave out.
    `CREATE TABLE erased_chatters (
      user_id TEXT PRIMARY KEY,
      erased_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE INDEX chats_missing ON chats (upload_id) WHERE state IN ('partial', 'gone', 'none')`,
  ],
};
