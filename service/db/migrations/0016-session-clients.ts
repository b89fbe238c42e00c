import type { Migration } from "../migration.ts";

/** The browser and address of each session, so that its owner can recognise it. */
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
