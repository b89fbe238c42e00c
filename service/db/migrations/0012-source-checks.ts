import type { Migration } from "../migration.ts";

/** What the source says of an upload's item, apart from its media. */
export const sourceChecks: Migration = {
  name: "0012-source-checks",
  statements: [
    // When all interfaces of the source first said that it does not exist; null once one has it.
    `ALTER TABLE uploads ADD COLUMN absent_since_at INTEGER`,
    // The duration that the source states, if its playlist is shorter by more than ten seconds.
    `ALTER TABLE uploads ADD COLUMN stated_duration_sec REAL`,
  ],
};
