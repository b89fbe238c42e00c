import type { Migration } from "../migration.ts";
import { marked } from "../search.ts";
import { countFile, indexRow, searchIndex } from "./0006-lists.ts";

const TEXTS = ["filename", "object_key", "title"];
const titleOf = (row: string) => `json_extract(${row}metadata, '$.title')`;

/** When broadcasts began, and a search of files that also finds their titles. */
export const recordedAt: Migration = {
  name: "0011-recorded-at",
  statements: [
    `ALTER TABLE uploads ADD COLUMN recorded_at INTEGER`,
    `ALTER TABLE files ADD COLUMN recorded_at INTEGER`,
    `CREATE INDEX uploads_recorded ON uploads (recorded_at)`,
    `CREATE INDEX files_by_recording ON files (recorded_at, seq, status, upload_type)`,
    `DROP TRIGGER files_inserted`,
    `DROP TRIGGER files_reindexed`,
    `DROP VIEW file_texts`,
    `DROP TABLE file_search`,
    `CREATE VIEW file_texts AS
      SELECT seq, ${marked("coalesce(filename, '')")} AS filename, ${marked("object_key")} AS object_key,
        ${marked(`coalesce(${titleOf("")}, '')`)} AS title
      FROM files`,
    searchIndex("file_search", TEXTS),
    `INSERT INTO file_search (rowid, ${TEXTS.join(", ")})
      SELECT seq, ${TEXTS.join(", ")} FROM file_texts`,
    `CREATE TRIGGER files_inserted AFTER INSERT ON files BEGIN
      ${countFile()}
      ${indexRow("file", TEXTS)}
      INSERT INTO file_checks (object_key) VALUES (new.object_key) ON CONFLICT DO NOTHING;
    END`,
    `CREATE TRIGGER files_reindexed AFTER UPDATE OF filename, object_key, metadata ON files
      WHEN old.filename IS NOT new.filename OR old.object_key <> new.object_key
        OR ${titleOf("old.")} IS NOT ${titleOf("new.")} BEGIN
      DELETE FROM file_search WHERE rowid = old.seq;
      ${indexRow("file", TEXTS)}
    END`,
  ],
};
