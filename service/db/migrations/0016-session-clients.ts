import type { Migration } from "../migration.ts";

/** From where a session was opened, for its owner to recognise it by. */
export const sessionClients: Migration = {
  name: "0016-session-clients",
  statements: [
    `CREATE TABLE IF NOT EXISTS session_clients (
      session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
      user_agent TEXT,
      address TEXT
    )`,
  ],
};
