import type { UploadStatus } from "#contract/upload.ts";
import {
  inDirection,
  type Direction,
  type ListPage,
  type ListWindow,
} from "#service/db/list-shape.ts";
import { all, sql } from "#service/db/sql.ts";

/** Rows per block, as in migration 0002. */
const BLOCK = 1_024;

/** Below this offset, skipping rows costs less than adding up blocks. */
const WORTH_SEEKING = 2_000;

/**
 * A page in the order of creation at any depth. Adding up maintained counts finds the block with
 * the row at the offset, and only rows of that block are skipped.
 */
export function blockPage(
  status: UploadStatus | "all",
  direction: Direction,
  total: number,
  { offset, limit }: ListWindow,
): ListPage {
  if (offset >= total) return { rows: null, total, totalIsCapped: false };
  const from = status === "all" ? sql`uploads u` : sql`uploads u INDEXED BY uploads_status`;
  const where = status === "all" ? [] : [sql`u.status = ${status}`];
  const way = inDirection(direction);
  if (offset < WORTH_SEEKING) {
    const rows = sql`
      SELECT u.seq FROM ${from} WHERE ${all(where)}
      ORDER BY u.seq ${way} LIMIT ${limit} OFFSET ${offset}`;
    return { rows, total, totalIsCapped: false };
  }
  const fromBlock =
    direction === "asc"
      ? sql`u.seq >= (SELECT block * ${BLOCK} FROM start)`
      : sql`u.seq < (SELECT (block + 1) * ${BLOCK} FROM start)`;
  const rows = sql`
    WITH start AS MATERIALIZED (
      SELECT block, before FROM (
        SELECT block, uploads, sum(uploads) OVER (ORDER BY block ${way}) - uploads AS before
        FROM upload_blocks WHERE status = ${status})
      WHERE before <= ${offset} AND ${offset} < before + uploads)
    SELECT u.seq FROM ${from} WHERE ${all([...where, fromBlock])}
    ORDER BY u.seq ${way} LIMIT ${limit} OFFSET (SELECT ${offset} - before FROM start)`;
  return { rows, total, totalIsCapped: false };
}
