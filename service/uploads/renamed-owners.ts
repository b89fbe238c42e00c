import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { LOOK_EVERY_MS, type PendingWork } from "#service/db/pending-work.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

/**
 * The search index of an upload contains its owner's name. After the owner is renamed, their
 * uploads are reindexed in small batches, so that an owner of many does not block other writes.
 * Until then they are found by the old name.
 */

/** Indexing one takes half a millisecond. */
const UPLOADS_AT_ONCE = 50;

export function scheduleOwnerIndex({ platform }: ServiceContext, pending: PendingWork): void {
  const index = pending.when(sql`SELECT 1 FROM renamed_users`, () =>
    indexRenamedOwners(platform.database),
  );
  platform.scheduler.every(LOOK_EVERY_MS, "names in the search index", index);
}

const renamedRow = z.object({ user_id: z.string(), indexed_to: z.number() });

/** Idempotent and safe to run concurrently. */
export async function indexRenamedOwners(database: Database): Promise<void> {
  for (;;) {
    const [row] = await database.all(sql`SELECT user_id, indexed_to FROM renamed_users LIMIT 1`);
    if (row === undefined) return;
    await indexSome(database, renamedRow.parse(row));
  }
}

async function indexSome(
  database: Database,
  { user_id: userId, indexed_to: from }: z.infer<typeof renamedRow>,
): Promise<void> {
  const rows = await database.all(sql`
    SELECT seq FROM uploads WHERE owner_id = ${userId} AND seq > ${from}
    ORDER BY seq LIMIT ${UPLOADS_AT_ONCE}`);
  const numbers = rows.map((row) => Number(row.seq));
  const last = numbers.at(-1);
  // If the owner was renamed again, indexed_to was reset and this batch must not advance it.
  const isUnmoved = sql`user_id = ${userId} AND indexed_to = ${from}`;
  if (last === undefined) {
    await database.run(sql`DELETE FROM renamed_users WHERE ${isUnmoved}`);
    return;
  }
  const these = sql`(SELECT value FROM json_each(${JSON.stringify(numbers)}))`;
  await database.batch([
    sql`DELETE FROM upload_search WHERE rowid IN ${these}`,
    sql`INSERT INTO upload_search (rowid, filename, title, owner, error)
      SELECT seq, filename, title, owner, error FROM upload_texts WHERE seq IN ${these}`,
    sql`UPDATE renamed_users SET indexed_to = ${last} WHERE ${isUnmoved}`,
  ]);
}
