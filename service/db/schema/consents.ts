import type { Migration } from "../migration.ts";

/** Consents of channel owners, and administrators' own confirmations of the rights. */
export const consents: Migration = {
  name: "0005-consents",
  statements: [
    // One row for each owner; the audit log keeps earlier ones.
    `CREATE TABLE consents (
      owner_id TEXT PRIMARY KEY REFERENCES users (id),
      text_version INTEGER NOT NULL,
      agreed_at INTEGER NOT NULL,
      withdrawn_at INTEGER                     -- null while in force
    ) WITHOUT ROWID`,
    // One for each channel: a new one replaces the last. Tokens are stored as SHA-256 only.
    `CREATE TABLE consent_invitations (
      owner_id TEXT PRIMARY KEY REFERENCES users (id),
      token_hash TEXT NOT NULL UNIQUE,
      created_by TEXT NOT NULL REFERENCES users (id),
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
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
