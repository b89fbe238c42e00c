import type { Migration } from "../migration.ts";

/** What the service made in the library folder. service/library/library-sweep.ts compares it. */
export const library: Migration = {
  name: "0012-library",
  statements: [
    `CREATE TABLE library_items (
      key TEXT PRIMARY KEY,                    -- a file's object key; channels/<id> for a channel's folder
      path TEXT NOT NULL UNIQUE COLLATE NOCASE, -- in the folder, without endings; of a channel its folder
      made TEXT NOT NULL DEFAULT '{}',         -- JSON: the mark of each file that was made, by its ending
      made_of TEXT,                            -- version of what that was made of; null: make all of it
      problem TEXT,                            -- why the video is not there, as a sentence
      tried_at INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID`,
  ],
};
