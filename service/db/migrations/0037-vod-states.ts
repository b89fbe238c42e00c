import type { Migration } from "../migration.ts";

const newestStatus = (vodId: string) => `(SELECT u.status FROM uploads u WHERE u.vod_id = ${vodId}
  ORDER BY u.seq DESC LIMIT 1)`;

/**
 * The state of each VOD beside the archive, which lists count, filter and sort by. Triggers keep the
 * status of its newest upload.
 */
export const vodStates: Migration = {
  name: "0037-vod-states",
  statements: [
    `ALTER TABLE vods ADD COLUMN upload_status TEXT`,
    `UPDATE vods SET upload_status = ${newestStatus("vods.vod_id")}`,
    // As VOD_STATES of contract/channel-vods.ts describe it.
    `ALTER TABLE vods ADD COLUMN state TEXT GENERATED ALWAYS AS (CASE
      WHEN is_stored = 1 THEN 'stored'
      WHEN upload_status = 'processing' THEN 'copying'
      WHEN upload_status = 'pending' THEN 'queued'
      WHEN lost_at IS NOT NULL THEN 'lost'
      WHEN gone_at IS NOT NULL THEN 'gone'
      WHEN upload_status = 'failed' THEN 'failed'
      WHEN decision = 'take' AND upload_status IS NULL THEN 'wanted'
      ELSE 'left_out' END) VIRTUAL`,
    `DROP INDEX vods_open`,
    `CREATE INDEX vods_by_state ON vods (owner_id, state, danger_at)`,
    `CREATE INDEX vods_by_danger ON vods (state, danger_at, owner_id)`,
    `DROP TRIGGER uploads_left_out`,
    `CREATE TRIGGER uploads_of_vod_deleted AFTER DELETE ON uploads WHEN old.vod_id IS NOT NULL BEGIN
      UPDATE vods SET upload_status = ${newestStatus("old.vod_id")} WHERE vod_id = old.vod_id;
      UPDATE vods SET decision = 'leave', reason = 'by_hand'
      WHERE vod_id = old.vod_id AND decision = 'take' AND upload_status IS NULL;
    END`,
    `CREATE TRIGGER uploads_of_vod_inserted AFTER INSERT ON uploads
      WHEN new.vod_id IS NOT NULL BEGIN
      UPDATE vods SET upload_status = new.status WHERE vod_id = new.vod_id;
    END`,
    `CREATE TRIGGER uploads_of_vod_changed AFTER UPDATE OF status ON uploads
      WHEN old.status <> new.status AND new.vod_id IS NOT NULL BEGIN
      UPDATE vods SET upload_status = ${newestStatus("new.vod_id")} WHERE vod_id = new.vod_id;
    END`,
    `CREATE TRIGGER vods_of_upload_inserted AFTER INSERT ON vods BEGIN
      UPDATE vods SET upload_status = ${newestStatus("new.vod_id")}
      WHERE seq = new.seq AND EXISTS (SELECT 1 FROM uploads WHERE vod_id = new.vod_id);
    END`,
  ],
};
