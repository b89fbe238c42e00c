import type { Migration } from "../migration.ts";

/** Files by length, and each channel's by the dates of its broadcasts. */
export const fileOrders: Migration = {
  name: "0026-file-orders",
  statements: [
    `CREATE INDEX files_by_length
      ON files (json_extract(metadata, '$.durationSec'), seq, status, upload_type)`,
    `CREATE INDEX files_of_user_by_recording
      ON files (user_id, recorded_at, seq, status, upload_type)`,
  ],
};
