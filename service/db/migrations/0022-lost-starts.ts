import type { Migration } from "../migration.ts";

/** Runs of an upload in a row that were begun and never ended: each may have ended the process. */
export const lostStarts: Migration = {
  name: "0022-lost-starts",
  statements: [`ALTER TABLE uploads ADD COLUMN lost_starts INTEGER NOT NULL DEFAULT 0`],
};
