import type { Migration } from "../migration.ts";

/** Files, or all of them, whose bytes somebody asked to have read again at once. */
export const verification: Migration = {
  name: "0023-verification",
  statements: [
    `ALTER TABLE file_checks ADD COLUMN asked_at INTEGER`,
    `CREATE INDEX file_checks_asked ON file_checks (asked_at) WHERE asked_at IS NOT NULL`,
    // Files that were not verified since are asked for.
    `CREATE TABLE verification_of_all (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      asked_at INTEGER NOT NULL
    )`,
  ],
};
