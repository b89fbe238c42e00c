import type { Migration } from "../migration.ts";

/** What was read of a chat since its last piece. Last, so that other columns are read without it. */
export const chatTails: Migration = {
  name: "0018-chat-tails",
  statements: [`ALTER TABLE chats ADD COLUMN tail TEXT NOT NULL DEFAULT ''`],
};
