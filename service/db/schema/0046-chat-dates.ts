import type { Migration } from "../migration.ts";

/**
 * Stored chats may state the time of the archive's request as the date of the broadcast. Those that
 * do are written anew (chat/chat-erasure.ts).
 */
export const chatDates: Migration = {
  name: "0046-chat-dates",
  statements: [
    `INSERT INTO chat_erasures (upload_id, asked_at)
      SELECT u.id, 0 FROM uploads u JOIN chats c ON c.upload_id = u.id
      WHERE u.chat_key IS NOT NULL AND u.recorded_at IS NOT NULL
      ON CONFLICT (upload_id) DO NOTHING`,
  ],
};
