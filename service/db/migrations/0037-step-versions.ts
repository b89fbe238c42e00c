import type { Migration } from "../migration.ts";

/** An older program names the version that a newer database needs (db/migrate.ts). */
export const stepVersions: Migration = {
  name: "0037-step-versions",
  statements: [`ALTER TABLE migrations ADD COLUMN version TEXT`],
};
