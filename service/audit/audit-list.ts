import * as z from "zod/mini";
import {
  auditEntrySchema,
  auditTokenSchema,
  type AuditEntry,
  type listAudit,
} from "#contract/audit.ts";
import type { QueryOf } from "#contract/call.ts";
import type { PagedList } from "#contract/paging.ts";
import { instantColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import {
  countCapped,
  listPage,
  pagedList,
  plainPage,
  windowOf,
  type ListPage,
} from "#service/db/list.ts";
import { searchFor } from "#service/db/search.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

type AuditQuery = QueryOf<typeof listAudit> & {
  /** Only entries with a lower number. */
  readonly before?: number;
};

/** Networks listed for an hour's anonymous refusals, those with the most first. */
const SHOWN_NETWORKS = 5;

const auditRow = z.extend(auditEntrySchema, {
  at: instantColumn,
  actor: z.nullable(jsonText(auditEntrySchema.shape.actor)),
  token: z.nullable(jsonText(auditTokenSchema)),
  before: z.nullable(jsonText(z.unknown())),
  after: z.nullable(jsonText(z.unknown())),
  lastAt: z.nullable(instantColumn),
});

/** Uploads, files, users and tokens have different forms of ids, so at most one is found. */
const TARGET_NAME = sql`coalesce(
  (SELECT coalesce(t.title, t.filename) FROM uploads t WHERE t.id = a.target),
  (SELECT coalesce(json_extract(t.metadata, '$.title'), t.filename) FROM files t
    WHERE t.object_key = a.target),
  (SELECT t.display_name FROM users t WHERE t.id = a.target),
  (SELECT t.name FROM api_tokens t WHERE t.id = a.target))`;

/** Every change and every refusal, newest first. */
export async function pageAudit(
  database: Database,
  query: AuditQuery,
): Promise<PagedList<AuditEntry>> {
  const page = await findAuditPage(database, query);
  const networks = sql`
    CASE WHEN a.repeat_key IS NOT NULL AND a.actor_id IS NULL THEN (
      SELECT group_concat(prefix || ' (' || n || ')', ', ') FROM (
        SELECT prefix, sum(count) AS n FROM refusal_counts
        WHERE kind = a.target AND minute_at BETWEEN a.at AND a.last_at
        GROUP BY prefix ORDER BY n DESC LIMIT ${SHOWN_NETWORKS}))
    END`;
  const rows = await database.all(sql`
    SELECT CAST(a.seq AS TEXT) AS id, a.at,
      CASE WHEN a.actor_id IS NOT NULL THEN json_object('userId', a.actor_id,
        'login', coalesce(u.login, a.actor_id), 'displayName', coalesce(u.display_name, a.actor_id))
      END AS actor, a.token,
      a.action, a.target, ${TARGET_NAME} AS targetName, a.result, a.reason, a.before, a.after, a.request_id AS requestId,
      coalesce(a.address, ${networks}) AS address, a.count,
      CASE WHEN a.count > 1 THEN a.last_at END AS lastAt
    FROM audit a LEFT JOIN users u ON u.id = a.actor_id
    WHERE a.seq IN (${page.rows}) ORDER BY ${page.orderBy}`);
  const entries = rows.map((row) => auditRow.parse(row));
  return pagedList(entries, page, query);
}

/** Words, for which SQLite uses the index of refusals. */
const HAS_RESULT = { done: sql`a.result = 'done'`, refused: sql`a.result = 'refused'` } as const;

/** Finds the numbers of a page's entries. */
export async function findAuditPage(database: Database, query: AuditQuery): Promise<ListPage> {
  const where = [
    ...(query.action === undefined ? [] : [sql`a.action = ${query.action}`]),
    ...(query.actorId === undefined ? [] : [sql`a.actor_id = ${query.actorId}`]),
    ...(query.result === undefined ? [] : [HAS_RESULT[query.result]]),
    ...(query.since === undefined ? [] : [sql`a.at >= ${Date.parse(query.since)}`]),
    ...(query.until === undefined ? [] : [sql`a.at < ${Date.parse(query.until)}`]),
    ...(query.before === undefined ? [] : [sql`a.seq < ${query.before}`]),
  ];
  const table = sql`audit a`;
  const list = {
    inOrder: table,
    byNumber: table,
    seq: sql`a.seq`,
    where,
    sortedBy: [],
    direction: "desc",
  } as const;
  const texts = ["action", "target", "actor", "reason", "request_id"];
  const search = searchFor("audit_search", query.search, texts);
  const window = windowOf(query);
  if (search === null && where.length > 0) {
    const counted = await countCapped(database, sql`SELECT 1 FROM ${table} WHERE ${all(where)}`);
    return { ...plainPage(list, Infinity, window), ...counted };
  }
  return await listPage(database, list, search, await countEntries(database), window);
}

/** Only the oldest entries are removed, so numbers have no gaps. */
async function countEntries(database: Database): Promise<number> {
  const [ends] = await database.all(sql`
    SELECT coalesce(max(seq), 0) AS last,
      coalesce((SELECT seq FROM audit_marks WHERE name = 'checkpoint'), 0) AS removed
    FROM audit`);
  return Number(ends?.last ?? 0) - Number(ends?.removed ?? 0);
}
