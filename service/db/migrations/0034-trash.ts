import type { Migration } from "../migration.ts";

/** Locked files, and the trash: lists without its files, and lists of only these. */
export const trash: Migration = {
  name: "0034-trash",
  statements: [
    `ALTER TABLE files ADD COLUMN locked_at INTEGER`,
    `ALTER TABLE files ADD COLUMN trashed_at INTEGER`,
    `ALTER TABLE files ADD COLUMN trash_until INTEGER`,
    `CREATE INDEX files_trash ON files (trash_until, seq, size_bytes) WHERE trash_until IS NOT NULL`,
    // Of `files` and `bytes`, what is in the trash.
    `ALTER TABLE file_counts ADD COLUMN trashed_files INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE file_counts ADD COLUMN trashed_bytes INTEGER NOT NULL DEFAULT 0`,
    // When the last scan of the whole store ended.
    `ALTER TABLE store_scan ADD COLUMN ended_at INTEGER`,
    `CREATE TRIGGER files_trash_counted
      AFTER UPDATE OF user_id, status, upload_type, size_bytes, trash_until ON files
      WHEN old.trash_until IS NOT NULL OR new.trash_until IS NOT NULL BEGIN
      ${uncountTrashed("old.trash_until IS NOT NULL")}
      INSERT INTO file_counts (user_id, status, upload_type, files, bytes, trashed_files, trashed_bytes)
        SELECT value, new.status, new.upload_type, 0, 0, 1, new.size_bytes
        FROM json_each(json_array('*', coalesce(new.user_id, '-')))
        WHERE new.trash_until IS NOT NULL
        ON CONFLICT DO UPDATE SET trashed_files = trashed_files + 1,
          trashed_bytes = trashed_bytes + excluded.trashed_bytes;
    END`,
    `CREATE TRIGGER files_trash_deleted AFTER DELETE ON files
      WHEN old.trash_until IS NOT NULL BEGIN
      ${uncountTrashed("TRUE")}
    END`,
  ],
};

function uncountTrashed(condition: string): string {
  return `UPDATE file_counts SET trashed_files = trashed_files - 1,
        trashed_bytes = trashed_bytes - old.size_bytes
      WHERE ${condition} AND user_id IN ('*', coalesce(old.user_id, '-'))
        AND status = old.status AND upload_type = old.upload_type;`;
}
