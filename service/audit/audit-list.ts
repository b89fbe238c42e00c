import * as z from "zod/mini";
import type { AuditEntry, listAudit } from "#contract/audit.ts";
import type { QueryOf } from "#contract/call.ts";
import { userIdSchema } from "#contract/ids.ts";
import type { PagedList } from "#contract/paging.ts";
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

const auditRow = z.object({
  seq: z.number(),
  at: z.number(),
  actor_id: z.nullable(userIdSchema),
  actor_login: z.nullable(z.string()),
  actor_name: z.nullable(z.string()),
  action: z.string(),
  target: z.nullable(z.string()),
  result: z.enum(["done", "refused"]),
  reason: z.nullable(z.string()),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
  request_id: z.nullable(z.string()),
  address: z.nullable(z.string()),
  networks: z.nullable(z.string()),
  count: z.number(),
  last_at: z.nullable(z.number()),
});

/** Every change and every refusal, newest first. */
export async function pageAudit(
  database: Database,
  query: AuditQuery,
): Promise<PagedList<AuditEntry>> {
  const page = await findAuditPage(database, query);
  const rows = await database.all(sql`
    SELECT a.*, u.login AS actor_login, u.display_name AS actor_name,
      CASE WHEN a.repeat_key IS NOT NULL AND a.actor_id IS NULL THEN (
        SELECT group_concat(prefix || ' (' || n || ')', ', ') FROM (
          SELECT prefix, sum(count) AS n FROM refusal_counts
          WHERE kind = a.target AND minute_at BETWEEN a.at AND a.last_at
          GROUP BY prefix ORDER BY n DESC LIMIT ${SHOWN_NETWORKS}))
      END AS networks
    FROM audit a LEFT JOIN users u ON u.id = a.actor_id
    WHERE a.seq IN (${page.rows}) ORDER BY a.seq DESC`);
  return pagedList(rows.map(readEntry), page, query);
}

/** Finds the numbers of a page's entries. */
export async function findAuditPage(database: Database, query: AuditQuery): Promise<ListPage> {
  const where = [
    ...(query.action === undefined ? [] : [sql`a.action = ${query.action}`]),
    ...(query.actorId === undefined ? [] : [sql`a.actor_id = ${query.actorId}`]),
    ...(query.result === undefined ? [] : [sql`a.result = ${query.result}`]),
    ...(query.before === undefined ? [] : [sql`a.seq < ${query.before}`]),
  ];
  const table = sql`audit a`;
  const list = {
    inOrder: table,
    byNumber: table,
    seq: sql`a.seq`,
    where,
    orderBy: sql`a.seq DESC`,
    byCreation: "desc",
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

function readEntry(row: Record<string, unknown>): AuditEntry {
  const entry = auditRow.parse(row);
  return {
    id: String(entry.seq),
    at: new Date(entry.at).toISOString(),
    actor:
      entry.actor_id === null
        ? null
        : {
            userId: entry.actor_id,
            login: entry.actor_login ?? entry.actor_id,
            displayName: entry.actor_name ?? entry.actor_id,
          },
    action: entry.action,
    target: entry.target,
    result: entry.result,
    reason: entry.reason,
    before: parseOrNull(entry.before),
    after: parseOrNull(entry.after),
    requestId: entry.request_id,
    address: entry.address ?? entry.networks,
    count: entry.count,
    lastAt:
      entry.last_at === null || entry.count === 1 ? null : new Date(entry.last_at).toISOString(),
  };
}

function parseOrNull(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
