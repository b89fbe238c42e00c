import type { Migration } from "../migration.ts";

const COLUMNS = `vod_id, owner_id, kind, title, duration_sec, recorded_at, first_seen_at, last_seen_at`;

/** The VOD of an upload `u`, of the most frequent kind; its channel's list may name another. */
const storedVod = (u: string) => `SELECT ${u}.vod_id, ${u}.owner_id, 'archive',
  coalesce(${u}.title, ${u}.filename), ${u}.duration_sec, coalesce(${u}.recorded_at, ${u}.created_at),
  ${u}.created_at, coalesce(${u}.completed_at, ${u}.created_at)`;
const isStoredVod = (u: string) =>
  `${u}.kind = 'twitch' AND ${u}.status = 'completed' AND ${u}.vod_id IS NOT NULL`;
const addStoredVod = `BEGIN
  INSERT INTO vods (${COLUMNS}) ${storedVod("new")}
  WHERE NOT EXISTS (SELECT 1 FROM vods WHERE vod_id = new.vod_id);
END`;

/** What following channels remembers of its requests, and the daily checks of stored VODs. */
export const polling: Migration = {
  name: "0035-polling",
  statements: [
    `ALTER TABLE channels ADD COLUMN stream_missed_at INTEGER`, // the last sweep missed the stream
    `ALTER TABLE channels ADD COLUMN sweep_failures INTEGER NOT NULL DEFAULT 0`, // in a row, up to 3
    `ALTER TABLE channels ADD COLUMN unlisted_since INTEGER`, // of unlisted_stream_id
    `ALTER TABLE channels ADD COLUMN relist_at INTEGER`, // when the list is read once more
    // When all channels were last asked for whether they are live.
    `ALTER TABLE channel_defaults ADD COLUMN swept_at INTEGER`,
    `ALTER TABLE vods ADD COLUMN next_check_at INTEGER NOT NULL DEFAULT 0`, // by its id
    // An answer said that it is shorter or muted; the next one decides.
    `ALTER TABLE vods ADD COLUMN change_seen_at INTEGER`,
    `CREATE INDEX vods_checks ON vods (next_check_at)
      WHERE gone_at IS NULL AND (is_stored = 1 OR missing_lists >= 3)`,
    // What is stored is checked, whether its channel is followed or not.
    `INSERT OR IGNORE INTO vods (${COLUMNS}) ${storedVod("u")} FROM uploads u
      WHERE ${isStoredVod("u")}`,
    `CREATE TRIGGER uploads_stored AFTER UPDATE OF status ON uploads
      WHEN ${isStoredVod("new")} ${addStoredVod}`,
    `CREATE TRIGGER uploads_stored_at_once AFTER INSERT ON uploads
      WHEN ${isStoredVod("new")} ${addStoredVod}`,
  ],
};
