import * as z from "zod/mini";
import {
  inDirection,
  type ListPage,
  type ListShape,
  type ListWindow,
} from "#service/db/list-shape.ts";
import { plainPage } from "#service/db/list-page.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { matchCounts, ofStatus, ofType, type FileQuery } from "./file-query.ts";

/** Whether to sort by user; not needed for the files of a single user. */
export function isByOwner({ sortBy, userId }: FileQuery): boolean {
  return sortBy === "user" && userId === undefined;
}

/** `file_owners o` beside `files f`. */
export const JOIN_OWNER = sql`JOIN file_owners o ON o.user_id = coalesce(f.user_id, '-')`;

/**
 * Reads the owners in the order of their names, and the files of each by number. Both indexes are
 * in the requested order, so that a page near either end is read without sorting.
 */
export function ownerShape(query: FileQuery): ListShape {
  return {
    from: sql`file_owners o INDEXED BY file_owners_in_order
      CROSS JOIN files f INDEXED BY files_user`,
    seq: sql`f.seq`,
    where: [sql`f.user_id IS nullif(o.user_id, '-')`, ...ofStatus(query), ...ofType(query)],
    orderBy(direction) {
      const way = inDirection(direction);
      return sql`o.login ${way}, o.user_id ${way}, f.seq ${way}`;
    },
    direction: query.sortOrder,
  };
}

/** Skipping this many files costs as much as adding up the counts of twenty thousand owners. */
const NEAR = 20_000;

/** A filter reads the file's row, which takes as long as this many steps over the index. */
const STEPS_A_FILTERED_FILE = 10;

/** A page without a search; `total` of `all` files match the filters. */
export async function ownerPage(
  database: Database,
  query: FileQuery,
  { total, all: allFiles }: { total: number; all: number },
  window: ListWindow,
): Promise<ListPage> {
  if (total <= window.offset) return plainPage(ownerShape(query), total, window);
  const fromEnd = Math.max(0, total - window.offset - window.limit);
  const distance = Math.min(window.offset, fromEnd) + window.limit;
  const steps =
    total === allFiles ? distance : (distance * STEPS_A_FILTERED_FILE * allFiles) / total;
  return steps < NEAR
    ? plainPage(ownerShape(query), total, window)
    : { rows: await seekOwner(database, query, window), total, totalIsCapped: false };
}

const ownersRow = z.object({ ids: z.string(), counts: z.string() });

/**
 * The rows of a page at any depth. Adding up the maintained counts finds the owner whose files the
 * page begins with. They are added up here, from two columns of comma-separated text (no value
 * contains a comma), because a running sum in SQL takes ten times as long.
 */
async function seekOwner(
  database: Database,
  query: FileQuery,
  { offset, limit }: ListWindow,
): Promise<Statement> {
  const { from, where, seq, orderBy, direction } = ownerShape(query);
  const way = inDirection(direction);
  const [row] = await database.all(sql`
    SELECT coalesce(group_concat(user_id), '') AS ids, coalesce(group_concat(files), '') AS counts
    FROM (SELECT user_id, files FROM (${countedOwners(query)})
      ORDER BY login ${way}, user_id ${way})`);
  const { ids, counts } = ownersRow.parse(row);
  let passed = 0;
  const first = counts.split(",").findIndex((count) => {
    const isPassed = passed + Number(count) <= offset;
    if (isPassed) passed += Number(count);
    return !isPassed;
  });
  const owner = ids.split(",")[first] ?? "";
  const isOnward = direction === "asc" ? sql`>=` : sql`<=`;
  return sql`
    SELECT ${seq} FROM ${from}
    WHERE ${all(where)} AND (o.login, o.user_id) ${isOnward}
      ((SELECT login FROM file_owners WHERE user_id = ${owner}), ${owner})
    ORDER BY ${orderBy(direction)} LIMIT ${limit} OFFSET ${offset - passed}`;
}

/** Owners with the number and size of their files that match the status and type filters. */
function countedOwners(query: Pick<FileQuery, "status" | "uploadType">): Statement {
  if (query.status === undefined && query.uploadType === undefined)
    return sql`SELECT user_id, login, files, bytes FROM file_owners WHERE files > 0`;
  return sql`
    SELECT o.user_id, o.login, c.files, c.bytes FROM (
      SELECT user_id, sum(files) AS files, sum(bytes) AS bytes FROM file_counts c
      WHERE user_id <> '*' AND files > 0 AND ${matchCounts(query)} GROUP BY user_id) c
    JOIN file_owners o ON o.user_id = c.user_id`;
}
