import type { Migration } from "../migration.ts";

/** Databases that another version of the code has written are recognized (db/migrate.ts). */
export const migrationDigests: Migration = {
  name: "0019-migration-digests",
  statements: [`ALTER TABLE migrations ADD COLUMN digest TEXT`],
};
