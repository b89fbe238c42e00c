import type { Migration } from "../migration.ts";

/** States of sign-ins that succeeded; each works only once. */
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
