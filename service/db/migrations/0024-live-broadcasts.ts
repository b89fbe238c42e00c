import type { Migration } from "../migration.ts";

/** Archives whose broadcast went on when it was last asked for: their plan is not all of it. */
export const liveBroadcasts: Migration = {
  name: "0024-live-broadcasts",
  statements: [`ALTER TABLE uploads ADD COLUMN is_live INTEGER NOT NULL DEFAULT 0`],
};
