import type { Migration } from "../migration.ts";

/**
 * The sweep reads each channel's first open uploads; no query needs the order of the next attempt.
 */
export const openUploadsByOwner: Migration = {
  name: "0019-open-uploads-by-owner",
  statements: [
    `CREATE INDEX IF NOT EXISTS uploads_open_owner ON uploads (owner_id, seq)
      WHERE status IN ('pending', 'processing')`,
    `DROP INDEX IF EXISTS uploads_open`,
  ],
};
