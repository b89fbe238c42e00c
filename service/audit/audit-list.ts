import * as z from "zod/mini";
import type { AuditEntry, listAudit } from "#contract/audit.ts";
import type { QueryOf } from "#contract/call.ts";
import { userIdSchema } from "#contract/ids.ts";
import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import type { PagedList } from "#contract/paging.ts";
import { pagedList } from "#service/db/paged-list.ts";
import { searchTerm } from "#service/db/search-match.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/platform.ts";

type AuditQuery = QueryOf<typeof listAudit>;

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
});

/** Every change and every refusal, newest first. */
export async function listAuditPage(
  database: Database,
  query: AuditQuery,
): Promise<PagedList<AuditEntry>> {
  const matches = sql`FROM audit a LEFT JOIN users u ON u.id = a.actor_id WHERE ${filter(query)}`;
  const [rows, total] = await Promise.all([
    database.all(sql`
      SELECT a.*, u.login AS actor_login, u.display_name AS actor_name ${matches}
      ORDER BY a.seq DESC LIMIT ${query.limit} OFFSET ${(query.page - 1) * query.limit}`),
    countEntries(database, query, matches),
  ]);
  return pagedList(rows.map(readEntry), total, query);
}

/** Nothing is ever deleted from the log: without a filter the newest number is the total. */
async function countEntries(
  database: Database,
  query: AuditQuery,
  matches: Statement,
): Promise<{ total: number; totalIsCapped: boolean }> {
  const isFiltered =
    (query.action ?? query.actorId ?? query.result ?? searchTerm(query.search)) !== null;
  const [row] = await database.all(
    isFiltered
      ? sql`SELECT count(*) AS entries FROM (
          SELECT 1 ${matches} LIMIT ${MAX_EXACT_SEARCH_TOTAL + 1})`
      : sql`SELECT coalesce(max(seq), 0) AS entries FROM audit`,
  );
  const entries = Number(row?.entries ?? 0);
  if (!isFiltered) return { total: entries, totalIsCapped: false };
  return {
    total: Math.min(entries, MAX_EXACT_SEARCH_TOTAL),
    totalIsCapped: entries > MAX_EXACT_SEARCH_TOTAL,
  };
}

function filter(query: AuditQuery): Statement {
  const term = searchTerm(query.search)?.toLowerCase();
  return all([
    ...(query.action === undefined ? [] : [sql`a.action = ${query.action}`]),
    ...(query.actorId === undefined ? [] : [sql`a.actor_id = ${query.actorId}`]),
    ...(query.result === undefined ? [] : [sql`a.result = ${query.result}`]),
    ...(term === undefined
      ? []
      : [
          sql`(instr(a.action, ${term}) > 0 OR instr(lower(coalesce(a.target, '')), ${term}) > 0
            OR instr(lower(coalesce(a.reason, '')), ${term}) > 0
            OR instr(lower(coalesce(u.login, '')), ${term}) > 0
            OR instr(lower(coalesce(u.display_name, '')), ${term}) > 0
            OR a.request_id = ${term})`,
        ]),
  ]);
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
  };
}

function parseOrNull(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
