import type { Migration } from "../migration.ts";

/** Administrators' own confirmations that they hold the rights to a channel's videos. */
export const rightsConfirmations: Migration = {
  name: "0027-rights-confirmations",
  statements: [
    // Of each administrator for each channel the newest; the audit log keeps earlier ones.
    `CREATE TABLE rights_confirmations (
      owner_id TEXT NOT NULL REFERENCES users (id),
      confirmed_by TEXT NOT NULL REFERENCES users (id),
      reason TEXT NOT NULL,
      confirmed_at INTEGER NOT NULL,
      PRIMARY KEY (owner_id, confirmed_by)
    ) WITHOUT ROWID`,
  ],
};
