import type { ServiceContext } from "#service/context.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { all, sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { noRoom, readObjectsDisk, roomIn } from "#service/space/disk-space.ts";
import { assertNotBanned, isNotBanned } from "./ban-check.ts";

/** A condition for accepting an upload, checked in the batch that inserts it. */
export type UploadLimit = { readonly holds: Statement; readonly refusal: () => ApiError };

/** Per user, because each may hold parts in the store for a day. */
const MAX_OPEN_UPLOADS = 100;

/** One without a byte is taken for abandoned after this time. */
const FIRST_BYTE_WITHIN_MS = 600_000;

/** Between two requests an upload counts as being sent for this long. */
const SENT_WITHIN_MS = 60_000;

/** Only of uploads under way: one that is declared and not sent takes nobody's room on the disk. */
function bytesUnderWay(nowMs: number): Statement {
  return sql`(SELECT coalesce(sum(max(0, source_bytes - stored_bytes)), 0) FROM uploads
    WHERE (status = 'processing' AND lease_until > ${nowMs})
      OR (status IN ('pending', 'processing') AND kind = 'manual'
        AND updated_at > ${nowMs - SENT_WITHIN_MS}))`;
}

/** The limits for a new manual upload of `length` bytes. */
export async function manualUploadLimits(
  context: ServiceContext,
  userId: string,
  length: number,
): Promise<readonly UploadLimit[]> {
  const disk = await readObjectsDisk(context);
  return [
    {
      holds: sql`(SELECT count(*) FROM uploads WHERE owner_id = ${userId} AND kind = 'manual'
          AND status IN ('pending', 'processing') AND (stored_bytes > 0
            OR updated_at > ${context.platform.clock.now() - FIRST_BYTE_WITHIN_MS})) < ${MAX_OPEN_UPLOADS}`,
      refusal: () =>
        new ApiError(
          "rate_limited",
          `You have ${MAX_OPEN_UPLOADS} unfinished uploads. Finish or cancel some of them first.`,
          { retryAfterSec: 60 },
        ),
    },
    ...(disk === null
      ? []
      : [
          {
            holds: sql`${bytesUnderWay(context.platform.clock.now())} + ${length} <= ${roomIn(disk)}`,
            refusal: () => noRoom("The disk does not have enough space for this file."),
          },
        ]),
  ];
}

/**
 * Runs the batch that inserts an upload of a user, if all limits hold.
 * @throws {ApiError} if not: unauthenticated for a banned user, the refusal of the first
 *   limit that does not hold, or conflict
 */
export async function insertWithinLimits(
  database: Database,
  userId: string,
  limits: readonly UploadLimit[],
  statements: readonly Statement[],
): Promise<void> {
  const mayInsert = all([isNotBanned(userId), ...limits.map(({ holds }) => holds)]);
  if ((await batchIf(database, mayInsert, statements)) !== null) return;
  await assertNotBanned(database, userId);
  for (const { holds, refusal } of limits) {
    const [row] = await database.all(sql`SELECT ${holds} AS holds`);
    if (row?.holds !== 1) throw refusal();
  }
  // A limit was freed after the insert failed.
  throw new ApiError("conflict", "Please try again.");
}
