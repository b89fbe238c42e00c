import type { Migration } from "../migration.ts";

/** Only of VODs that are not stored: `vods_open_by_danger` has those at the source. */
export const unstoredVods: Migration = {
  name: "0036-unstored-vods",
  statements: [
    `DROP INDEX vods_unannounced`,
    `DROP INDEX vods_gone`,
    `CREATE INDEX vods_gone ON vods (gone_at)
      WHERE decision = 'take' AND is_stored = 0 AND gone_at IS NOT NULL AND lost_at IS NULL`,
  ],
};
