import type { Migration } from "../migration.ts";

/** Files whose bytes the store failed to return while it answered other requests. */
export const unreadableFiles: Migration = {
  name: "0009-unreadable-files",
  statements: [
    `CREATE TABLE IF NOT EXISTS unreadable_files (
      object_key TEXT PRIMARY KEY,
      since INTEGER NOT NULL,                  -- of the first try in a row that failed
      retry_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE TRIGGER IF NOT EXISTS files_unreadable_dropped AFTER DELETE ON files BEGIN
      DELETE FROM unreadable_files WHERE object_key = old.object_key;
    END`,
  ],
};
