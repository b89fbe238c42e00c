import type { Migration } from "../migration.ts";

/** Completed archives whose chapters or pictures could not be read yet. */
export const lateExtras: Migration = {
  name: "0016-late-extras",
  statements: [
    `CREATE TABLE IF NOT EXISTS late_extras (
      upload_id TEXT PRIMARY KEY REFERENCES uploads (id) ON DELETE CASCADE,
      attempts INTEGER NOT NULL DEFAULT 0,
      next_attempt_at INTEGER NOT NULL
    ) WITHOUT ROWID`,
  ],
};
