import type { Migration } from "../migration.ts";

/** The sweep asks for each channel's first open uploads. Nothing asks by the time of the next try. */
export const openUploadsByOwner: Migration = {
  name: "0019-open-uploads-by-owner",
  statements: [
    `CREATE INDEX IF NOT EXISTS uploads_open_owner ON uploads (owner_id, seq)
      WHERE status IN ('pending', 'processing')`,
    `DROP INDEX IF EXISTS uploads_open`,
  ],
};
