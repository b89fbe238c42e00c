import type { Migration } from "../migration.ts";

/** Saved views: named list settings of an administrator. */
export const savedViews: Migration = {
  name: "0007-saved-views",
  statements: [
    `CREATE TABLE IF NOT EXISTS saved_views (
      seq INTEGER PRIMARY KEY,
      user_id TEXT NOT NULL REFERENCES users (id),
      screen TEXT NOT NULL,
      name TEXT NOT NULL,
      search TEXT NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (user_id, screen, name)
    )`,
  ],
};
