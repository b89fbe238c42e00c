import type { Migration } from "../migration.ts";

/** The order in which archives are taken (storage/lease.ts), starts by rule, and their events. */
export const queueOrder: Migration = {
  name: "0032-queue-order",
  statements: [
    `DROP INDEX uploads_open_owner`,
    // An unknown danger comes last: the largest time of ECMAScript.
    `CREATE INDEX uploads_queue
      ON uploads (priority DESC, coalesce(danger_at, 8640000000000000), seq)
      WHERE status IN ('pending', 'processing') AND kind <> 'manual'`,
    `CREATE INDEX uploads_growing ON uploads (seq)
      WHERE is_live AND status IN ('pending', 'processing') AND kind <> 'manual'`,
    // Until now only people started uploads.
    `UPDATE uploads SET priority = 2 WHERE status IN ('pending', 'processing')`,
    // next_start_at is null until the rule has started the upload, and whenever it may again.
    `CREATE INDEX vods_startable ON vods (seq)
      WHERE decision = 'take' AND gone_at IS NULL AND next_start_at IS NULL`,
    `CREATE INDEX vods_unannounced ON vods (danger_at)
      WHERE decision = 'take' AND gone_at IS NULL AND announced_at IS NULL`,
    `CREATE INDEX vods_gone ON vods (gone_at)
      WHERE decision = 'take' AND gone_at IS NOT NULL AND lost_at IS NULL`,
    // Preferences that people saved name every event that is sent.
    `UPDATE notification_preferences SET enabled_events = json_set(enabled_events,
      '$.vod_in_danger', json('["browser"]'), '$.vod_lost', json('["browser"]'))`,
  ],
};
