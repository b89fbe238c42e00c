import type { Migration } from "../migration.ts";
import { marked } from "../search.ts";
import { indexRow, searchIndex } from "./search-index.ts";

const TEXTS = ["action", "target", "actor", "reason", "request_id"];

/**
 * The audit log. SQLite cannot hash, so an entry and its seal are two writes: the entry is in the batch
 * of the change it records, the seal follows within seconds.
 */
export const audit: Migration = {
  name: "0006-audit",
  statements: [
    `CREATE TABLE audit (
      seq INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      actor_id TEXT,
      action TEXT NOT NULL,
      target TEXT,
      result TEXT NOT NULL CHECK (result IN ('done', 'refused')),
      reason TEXT,
      before TEXT,
      after TEXT,
      request_id TEXT,
      address TEXT,                            -- removed earlier than the entry
      repeat_key TEXT,                         -- entries with the same key share one row with a count
      count INTEGER NOT NULL DEFAULT 1,
      last_at INTEGER,
      token TEXT,                              -- JSON {"id", "name"}, which outlives the API token
      seal TEXT                                -- SHA-256 over the seal before and the row's content
    )`,
    // The newest sealed entry (head) and the newest removed one (checkpoint), with their seals.
    `CREATE TABLE audit_marks (
      name TEXT PRIMARY KEY CHECK (name IN ('head', 'checkpoint')),
      seq INTEGER NOT NULL,
      hash TEXT NOT NULL,
      signature TEXT NOT NULL                  -- HMAC under a key derived from SECRET_KEY
    ) WITHOUT ROWID`,
    `CREATE TABLE refusal_counts (
      kind TEXT NOT NULL,
      minute_at INTEGER NOT NULL,              -- when the minute began
      prefix TEXT NOT NULL,                    -- of the clients' addresses, or 'other'
      count INTEGER NOT NULL,
      PRIMARY KEY (kind, minute_at, prefix)
    ) WITHOUT ROWID`,
    `CREATE UNIQUE INDEX audit_repeat ON audit (repeat_key) WHERE repeat_key IS NOT NULL`,
    `CREATE INDEX audit_by_time ON audit (at)`,
    `CREATE INDEX audit_by_action ON audit (action, seq, actor_id, result)`,
    `CREATE INDEX audit_by_actor ON audit (actor_id, seq, action, result)`,
    // Not of all results: SQLite would find an action among all entries that are done.
    `CREATE INDEX audit_refused ON audit (seq) WHERE result = 'refused'`,
    // Names at the time of the entry, and those that a change contains.
    `CREATE VIEW audit_texts AS
      SELECT a.seq, ${marked("a.action")} AS action,
        ${marked("coalesce(a.target, '')")} || ${marked(
          "coalesce(json_extract(a.after, '$.name'), json_extract(a.before, '$.name'), '')",
        )} AS target,
        ${marked("coalesce(u.login, '')")} || ${marked("coalesce(u.display_name, '')")}
          || ${marked("coalesce(json_extract(a.token, '$.name'), '')")} AS actor,
        ${marked("coalesce(a.reason, '')")} AS reason,
        ${marked("coalesce(a.request_id, '')")} AS request_id
      FROM audit a LEFT JOIN users u ON u.id = a.actor_id`,
    searchIndex("audit", TEXTS),
    `CREATE TRIGGER audit_kept BEFORE DELETE ON audit
      WHEN old.seq > coalesce((SELECT seq FROM audit_marks WHERE name = 'checkpoint'), 0) BEGIN
      SELECT RAISE(ABORT, 'audit entries after the checkpoint are never deleted');
    END`,
    `CREATE TRIGGER audit_unchanged BEFORE UPDATE OF
      seq, at, actor_id, action, target, result, reason, before, after, request_id ON audit BEGIN
      SELECT RAISE(ABORT, 'audit entries are never changed');
    END`,
    `CREATE TRIGGER audit_inserted AFTER INSERT ON audit BEGIN
      ${indexRow("audit", TEXTS)}
    END`,
    `CREATE TRIGGER audit_deleted AFTER DELETE ON audit BEGIN
      DELETE FROM audit_search WHERE rowid = old.seq;
    END`,
  ],
};
