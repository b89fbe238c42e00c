import type { Migration } from "../migration.ts";

/**
 * Bounds the audit log: repeated refusals share one entry with a count, anonymous ones are counted,
 * and old entries may be removed up to a signed checkpoint.
 *
 * An entry's address and count are not sealed: the address is removed earlier, and the count grows.
 * Seals need no triggers of their own, because a signed mark says where they end.
 */
export const boundedAudit: Migration = {
  name: "0013-bounded-audit",
  columns: [
    { table: "audit", name: "address", definition: "TEXT" },
    // Entries with the same key share one row with a count.
    { table: "audit", name: "repeat_key", definition: "TEXT" },
    { table: "audit", name: "count", definition: "INTEGER NOT NULL DEFAULT 1" },
    { table: "audit", name: "last_at", definition: "INTEGER" },
  ],
  statements: [
    `CREATE UNIQUE INDEX IF NOT EXISTS audit_repeat ON audit (repeat_key)
      WHERE repeat_key IS NOT NULL`,
    // The newest sealed entry (head) and the newest removed one (checkpoint), with their seals.
    `CREATE TABLE IF NOT EXISTS audit_marks (
      name TEXT PRIMARY KEY CHECK (name IN ('head', 'checkpoint')),
      seq INTEGER NOT NULL,
      hash TEXT NOT NULL,
      signature TEXT NOT NULL                  -- HMAC under a key derived from SECRET_KEY
    ) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS refusal_counts (
      kind TEXT NOT NULL,
      minute_at INTEGER NOT NULL,              -- when the minute began
      prefix TEXT NOT NULL,                    -- of the clients' addresses, or 'other'
      count INTEGER NOT NULL,
      PRIMARY KEY (kind, minute_at, prefix)
    ) WITHOUT ROWID`,
    `CREATE INDEX IF NOT EXISTS refusal_counts_minute ON refusal_counts (minute_at)`,
    `DROP TRIGGER IF EXISTS audit_seals_kept`,
    `DROP TRIGGER IF EXISTS audit_seals_unchanged`,
    `DROP TRIGGER IF EXISTS audit_kept`,
    `CREATE TRIGGER audit_kept BEFORE DELETE ON audit
      WHEN old.seq > coalesce((SELECT seq FROM audit_marks WHERE name = 'checkpoint'), 0) BEGIN
      SELECT RAISE(ABORT, 'audit entries after the checkpoint are never deleted');
    END`,
    `DROP TRIGGER IF EXISTS audit_unchanged`,
    `CREATE TRIGGER audit_unchanged BEFORE UPDATE OF
      seq, at, actor_id, action, target, result, reason, before, after, request_id ON audit BEGIN
      SELECT RAISE(ABORT, 'audit entries are never changed');
    END`,
  ],
};
