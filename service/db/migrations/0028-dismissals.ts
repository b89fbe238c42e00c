import type { Migration } from "../migration.ts";
import { indexRow } from "./0006-lists.ts";

const TEXTS = ["filename", "title", "owner", "error"];

/** Failures that need nobody's attention any more, counted as a class of their own. */
export const dismissals: Migration = {
  name: "0028-dismissals",
  statements: [
    `ALTER TABLE uploads ADD COLUMN dismissed_at INTEGER`,
    `ALTER TABLE uploads ADD COLUMN dismissed_by TEXT REFERENCES users (id)`,
    `CREATE INDEX uploads_failed_open ON uploads (failed_at, seq, coalesce(failure_class, 'ours'))
      WHERE status = 'failed' AND dismissed_at IS NULL`,
    `CREATE INDEX uploads_dismissed ON uploads (failed_at, seq)
      WHERE status = 'failed' AND dismissed_at IS NOT NULL`,
    `DROP TRIGGER uploads_inserted`,
    `DROP TRIGGER uploads_recounted`,
    `DROP TRIGGER uploads_deleted`,
    `CREATE TRIGGER uploads_inserted AFTER INSERT ON uploads BEGIN
      ${countUpload()}
      ${indexRow("upload", TEXTS)}
    END`,
    `CREATE TRIGGER uploads_recounted
      AFTER UPDATE OF status, failure_class, retry_count, max_retries, dismissed_at ON uploads
      WHEN old.status <> new.status OR (new.status = 'failed' AND (
        old.failure_class IS NOT new.failure_class
        OR (old.dismissed_at IS NULL) <> (new.dismissed_at IS NULL)
        OR (old.retry_count < old.max_retries) <> (new.retry_count < new.max_retries))) BEGIN
      ${uncountUpload()}
      ${countUpload()}
    END`,
    `CREATE TRIGGER uploads_deleted AFTER DELETE ON uploads BEGIN
      ${uncountUpload()}
      DELETE FROM upload_search WHERE rowid = old.seq;
    END`,
  ],
};

function countUpload(): string {
  return `INSERT INTO upload_counts (status, failure_class, can_retry, uploads)
      VALUES (new.status, ${classOf("new")}, ${canRetry("new")}, 1)
      ON CONFLICT DO UPDATE SET uploads = uploads + 1;`;
}

function uncountUpload(): string {
  return `UPDATE upload_counts SET uploads = uploads - 1 WHERE status = old.status
      AND failure_class = ${classOf("old")} AND can_retry = ${canRetry("old")};`;
}

function classOf(row: "old" | "new"): string {
  return `CASE WHEN ${row}.status <> 'failed' THEN ''
      WHEN ${row}.dismissed_at IS NOT NULL THEN 'dismissed'
      ELSE coalesce(${row}.failure_class, 'ours') END`;
}

function canRetry(row: "old" | "new"): string {
  return `(${row}.status = 'failed' AND ${row}.retry_count < ${row}.max_retries)`;
}
