import type { Migration } from "../migration.ts";

/** Consents of channel owners, and the links on which they are asked for. */
export const consents: Migration = {
  name: "0013-consents",
  statements: [
    // One row for each owner; the audit log keeps earlier ones.
    `CREATE TABLE IF NOT EXISTS consents (
      owner_id TEXT PRIMARY KEY REFERENCES users (id),
      text_version INTEGER NOT NULL,
      agreed_at INTEGER NOT NULL,
      withdrawn_at INTEGER                     -- null while in force
    ) WITHOUT ROWID`,
    // One for each channel: a new one replaces the last. Tokens are stored as SHA-256 only.
    `CREATE TABLE IF NOT EXISTS consent_invitations (
      owner_id TEXT PRIMARY KEY REFERENCES users (id),
      token_hash TEXT NOT NULL UNIQUE,
      created_by TEXT NOT NULL REFERENCES users (id),
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    // The version of the text that the owner had agreed to. SQLite cannot change the CHECK of
    // \`rights\`, so an upload that rests on a consent has 'owner_signed_in' there and a version here.
    // Without a version, the owner had only signed in, which counts as no consent.
    `ALTER TABLE uploads ADD COLUMN consent_text_version INTEGER`,
  ],
};
