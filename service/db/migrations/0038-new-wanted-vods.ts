import type { Migration } from "../migration.ts";

/** Wanted VODs that no round of starts has seen. */
export const newWantedVods: Migration = {
  name: "0038-new-wanted-vods",
  statements: [
    `CREATE INDEX vods_new_wanted ON vods (seq)
      WHERE decision = 'take' AND gone_at IS NULL AND next_start_at IS NULL AND waits_for IS NULL`,
  ],
};
