import type { Migration } from "../migration.ts";

/** The quality that was chosen, the rendition that this gave, and a better one that is withheld. */
export const quality: Migration = {
  name: "0009-quality",
  statements: [
    `ALTER TABLE uploads ADD COLUMN quality TEXT NOT NULL DEFAULT 'best'`,
    `ALTER TABLE uploads ADD COLUMN rendition TEXT`, // e.g. 1080p60; null before the plan is made
    `ALTER TABLE uploads ADD COLUMN withheld_rendition TEXT`, // JSON
  ],
};
