import type { Migration } from "../migration.ts";

/** Archives keep what does not fill a part yet like manual uploads. */
export const unsealedParts: Migration = {
  name: "0014-unsealed-parts",
  statements: [
    // JSON: sizes of the units that end in these bytes; null for manual uploads.
    `ALTER TABLE incomplete_parts ADD COLUMN finished_units TEXT`,
  ],
};
