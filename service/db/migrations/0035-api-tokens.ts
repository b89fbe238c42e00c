import type { Migration } from "../migration.ts";

/** Tokens for programs, and the audit entries of what was done with them. */
export const apiTokens: Migration = {
  name: "0035-api-tokens",
  statements: [
    `CREATE TABLE api_tokens (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id),
      name TEXT NOT NULL,
      digest TEXT NOT NULL UNIQUE,             -- SHA-256 of the token, which is not stored
      permissions TEXT NOT NULL,               -- JSON list; of these, those that the owner holds apply
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      last_used_at INTEGER,                    -- written at most once a minute
      last_used_address TEXT
    )`,
    `CREATE INDEX api_tokens_of_user ON api_tokens (user_id)`,
    // A ban, an erasure or the loss of all rights ends the tokens for good, whatever wrote it.
    `CREATE TRIGGER api_tokens_end AFTER UPDATE OF banned_at, permissions ON users
      WHEN new.banned_at IS NOT NULL OR new.permissions = '[]' BEGIN
      DELETE FROM api_tokens WHERE user_id = new.id;
    END`,
    // JSON {"id", "name"}, which outlives the token. Sealed with the entry unless it is NULL.
    `ALTER TABLE audit ADD COLUMN token TEXT`,
  ],
};
