import type { Migration } from "../migration.ts";

/**
 * List orders within one owner: often one streamer owns most of an archive, and sorting all their
 * rows for a page would cost as much as the list is long. The indexes on files include the filters'
 * columns, so that skipping rows needs only the index; an upload's status changes too often for
 * that.
 */
export const ownerOrders: Migration = {
  name: "0010-owner-orders",
  statements: [
    `CREATE INDEX IF NOT EXISTS uploads_owner_filename
      ON uploads (owner_id, filename COLLATE NOCASE)`,
    `CREATE INDEX IF NOT EXISTS uploads_owner_size ON uploads (owner_id, source_bytes)`,
    `CREATE INDEX IF NOT EXISTS files_by_user_name
      ON files (user_id, filename COLLATE NOCASE, seq, status, upload_type)`,
    `CREATE INDEX IF NOT EXISTS files_by_user_size
      ON files (user_id, size_bytes, seq, status, upload_type)`,
    // Unique, so that SQLite knows that each owner's files are contiguous and need no sort.
    `CREATE UNIQUE INDEX IF NOT EXISTS file_owners_in_order ON file_owners (login, user_id)`,
  ],
};
