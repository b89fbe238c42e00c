import type { Migration } from "../migration.ts";

/** Only states of sign-ins that succeeded are stored: each works once. */
export const loginStates: Migration = {
  name: "0015-login-states",
  statements: [
    `DROP TABLE IF EXISTS login_states`,
    `CREATE TABLE IF NOT EXISTS used_login_states (
      state_hash TEXT PRIMARY KEY,
      expires_at INTEGER NOT NULL
    )`,
  ],
};
