import type { Migration } from "../migration.ts";
import { marked } from "../search.ts";

const TEXTS = "action, target, actor, reason, request_id";

/** Entries whose texts change. */
const NAMED = `SELECT seq FROM audit
  WHERE token IS NOT NULL OR action GLOB 'token.*' OR action GLOB 'webhook.*'`;

/** The audit log's search also finds names that a change contains, and the token that acted. */
export const auditNames: Migration = {
  name: "0039-audit-names",
  statements: [
    `DROP VIEW audit_texts`,
    `CREATE VIEW audit_texts AS
      SELECT a.seq, ${marked("a.action")} AS action,
        ${marked("coalesce(a.target, '')")} || ${marked(
          "coalesce(json_extract(a.after, '$.name'), json_extract(a.before, '$.name'), '')",
        )} AS target,
        ${marked("coalesce(u.login, '')")} || ${marked("coalesce(u.display_name, '')")}
          || ${marked("coalesce(json_extract(a.token, '$.name'), '')")} AS actor,
        ${marked("coalesce(a.reason, '')")} AS reason,
        ${marked("coalesce(a.request_id, '')")} AS request_id
      FROM audit a LEFT JOIN users u ON u.id = a.actor_id`,
    `DELETE FROM audit_search WHERE rowid IN (${NAMED})`,
    `INSERT INTO audit_search (rowid, ${TEXTS})
      SELECT seq, ${TEXTS} FROM audit_texts WHERE seq IN (${NAMED})`,
  ],
};
