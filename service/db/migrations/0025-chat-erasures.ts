import type { Migration } from "../migration.ts";

/** People whose names chat replays leave out, and the stored replays to be written anew. */
export const chatErasures: Migration = {
  name: "0025-chat-erasures",
  statements: [
    `CREATE TABLE erased_chatters (
      user_id TEXT PRIMARY KEY,
      erased_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE TABLE chat_erasures (
      upload_id TEXT PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
      asked_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
  ],
};
