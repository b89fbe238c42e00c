import type { Migration } from "../migration.ts";
import { facet, searchIndexes } from "./search-indexes.ts";

/**
 * Seals and search of the audit log, pending work of bans, and results of health probes.
 *
 * SQLite cannot hash, so a row and its seal are two writes: the row is in the batch of the change
 * it records, the seal follows within seconds. Both tables refuse UPDATE and DELETE.
 */
export const operate: Migration = {
  name: "0003-operate",
  statements: [
    `CREATE TABLE IF NOT EXISTS audit_seals (
      seq INTEGER PRIMARY KEY,                 -- of the sealed audit row
      hash TEXT NOT NULL                       -- SHA-256 over the seal before and the row's content
    )`,
    `CREATE TRIGGER IF NOT EXISTS audit_kept BEFORE DELETE ON audit BEGIN
      SELECT RAISE(ABORT, 'audit entries are never deleted');
    END`,
    `CREATE TRIGGER IF NOT EXISTS audit_unchanged BEFORE UPDATE ON audit BEGIN
      SELECT RAISE(ABORT, 'audit entries are never changed');
    END`,
    `CREATE TRIGGER IF NOT EXISTS audit_seals_kept BEFORE DELETE ON audit_seals BEGIN
      SELECT RAISE(ABORT, 'audit seals are never deleted');
    END`,
    `CREATE TRIGGER IF NOT EXISTS audit_seals_unchanged BEFORE UPDATE ON audit_seals BEGIN
      SELECT RAISE(ABORT, 'audit seals are never changed');
    END`,
    `CREATE INDEX IF NOT EXISTS audit_action ON audit (action)`,
    `CREATE INDEX IF NOT EXISTS audit_result ON audit (result)`,
    `CREATE INDEX IF NOT EXISTS audit_done_at ON audit (at) WHERE result = 'done'`,
    // Names at the time of the entry.
    `CREATE VIEW IF NOT EXISTS audit_texts AS
      SELECT a.seq, a.action, coalesce(a.target, '') AS target,
        coalesce(u.login || char(31) || u.display_name, '') AS actor,
        coalesce(a.reason, '') AS reason, coalesce(a.request_id, '') AS request_id,
        ${facet("a.result")} AS result
      FROM audit a LEFT JOIN users u ON u.id = a.actor_id`,
    ...searchIndexes({
      table: "audit",
      name: "audit",
      texts: ["action", "target", "actor", "reason", "request_id"],
      facets: ["result"],
      sources: ["action", "target", "actor_id", "reason", "request_id", "result"],
    }),
    `CREATE INDEX IF NOT EXISTS logs_at ON logs (at)`,
    // Pending uploads that a ban still has to cancel.
    `CREATE TABLE IF NOT EXISTS ban_cancellations (
      upload_id TEXT PRIMARY KEY,
      actor_id TEXT NOT NULL,                  -- who banned
      request_id TEXT NOT NULL
    ) WITHOUT ROWID`,
    `CREATE TABLE IF NOT EXISTS heartbeats (
      name TEXT PRIMARY KEY,
      at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    // Written every few seconds by the host that runs the probes, read by all.
    `CREATE TABLE IF NOT EXISTS health_probes (
      component TEXT PRIMARY KEY,
      status TEXT NOT NULL CHECK (status IN ('healthy', 'degraded', 'unhealthy', 'unknown')),
      detail TEXT,                             -- why it is not healthy, in a sentence
      failures INTEGER NOT NULL DEFAULT 0,     -- in a row
      since_at INTEGER NOT NULL,               -- of the present status
      checked_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
  ],
};
