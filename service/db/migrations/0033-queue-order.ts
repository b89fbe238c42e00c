import type { Migration } from "../migration.ts";

/** The order in which archives are taken (storage/lease.ts), and the events of VODs in danger. */
export const queueOrder: Migration = {
  name: "0033-queue-order",
  statements: [
    `ALTER TABLE uploads ADD COLUMN by_rule INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE uploads ADD COLUMN priority INTEGER NOT NULL DEFAULT 1`, // 0 low, 1 normal, 2 high
    `ALTER TABLE uploads ADD COLUMN danger_at INTEGER`,
    // Until now only people started uploads.
    `UPDATE uploads SET priority = 2 WHERE status IN ('pending', 'processing')`,
    `DROP INDEX uploads_open_owner`,
    // An unknown danger comes last: the largest time of ECMAScript.
    `CREATE INDEX uploads_queue
      ON uploads (priority DESC, coalesce(danger_at, 8640000000000000), seq)
      WHERE status IN ('pending', 'processing') AND kind <> 'manual'`,
    `CREATE INDEX uploads_growing ON uploads (seq)
      WHERE is_live AND status IN ('pending', 'processing') AND kind <> 'manual'`,
    // Preferences that people saved name every event that is sent.
    `UPDATE notification_preferences SET enabled_events = json_set(enabled_events,
      '$.vod_in_danger', json('["browser"]'), '$.vod_lost', json('["browser"]'))`,
  ],
};
