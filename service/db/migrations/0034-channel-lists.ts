import type { Migration } from "../migration.ts";

const isFileOf = (vodId: string) => `EXISTS (SELECT 1 FROM files f WHERE f.vod_id = ${vodId}
  AND f.upload_type = 'twitch' AND f.status <> 'partial')`;

/**
 * What the lists of channels and their VODs read. Triggers keep `is_stored`, so that no write of a
 * file can miss it.
 */
export const channelLists: Migration = {
  name: "0034-channel-lists",
  statements: [
    // How long the source keeps past broadcasts, as derived; null: unknown.
    `ALTER TABLE channels ADD COLUMN kept_days INTEGER`,
    `ALTER TABLE vods ADD COLUMN is_stored INTEGER NOT NULL DEFAULT 0`,
    `CREATE INDEX files_vod ON files (vod_id) WHERE vod_id IS NOT NULL`,
    `CREATE INDEX files_of_user_lengths ON files (user_id, upload_type, status,
      json_extract(metadata, '$.durationSec'), size_bytes)`,
    `CREATE INDEX vods_open ON vods (owner_id, danger_at, vod_id)
      WHERE decision = 'take' AND gone_at IS NULL AND is_stored = 0`,
    `CREATE INDEX vods_open_by_danger ON vods (danger_at, vod_id)
      WHERE decision = 'take' AND gone_at IS NULL AND is_stored = 0`,
    `CREATE INDEX vods_lost ON vods (lost_at) WHERE lost_at IS NOT NULL`,
    `CREATE INDEX vods_rare ON vods (vod_id)
      WHERE is_stored = 1 AND coalesce(gone_at, cut_at, muted_at) IS NOT NULL`,
    `CREATE TRIGGER vods_inserted AFTER INSERT ON vods WHEN ${isFileOf("new.vod_id")} BEGIN
      UPDATE vods SET is_stored = 1 WHERE seq = new.seq;
    END`,
    `CREATE TRIGGER files_stored AFTER INSERT ON files
      WHEN new.vod_id IS NOT NULL AND new.upload_type = 'twitch' AND new.status <> 'partial' BEGIN
      UPDATE vods SET is_stored = 1 WHERE vod_id = new.vod_id;
    END`,
    `CREATE TRIGGER files_stored_later AFTER UPDATE OF status, upload_type, vod_id ON files
      WHEN new.vod_id IS NOT NULL BEGIN
      UPDATE vods SET is_stored = ${isFileOf("new.vod_id")} WHERE vod_id = new.vod_id;
    END`,
    `CREATE TRIGGER files_unstored AFTER DELETE ON files WHEN old.vod_id IS NOT NULL BEGIN
      UPDATE vods SET is_stored = ${isFileOf("old.vod_id")} WHERE vod_id = old.vod_id;
    END`,
    // Who deletes an upload does not want a rule to begin it again.
    `CREATE TRIGGER uploads_left_out AFTER DELETE ON uploads WHEN old.vod_id IS NOT NULL BEGIN
      UPDATE vods SET decision = 'leave', reason = 'by_hand'
      WHERE vod_id = old.vod_id AND decision = 'take'
        AND NOT EXISTS (SELECT 1 FROM uploads WHERE vod_id = old.vod_id);
    END`,
  ],
};
