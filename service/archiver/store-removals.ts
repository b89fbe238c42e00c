import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import type { ServiceContext } from "#service/context.ts";
import { StoreError, type Statement } from "#service/platform.ts";
import * as z from "zod/mini";

/**
 * The store cannot take part in a database transaction. What must go from it is therefore written
 * down in the batch that decided so, and carried out here until the store confirms.
 *
 * An abort precedes a deletion of the same key: once the parts are gone, no late `complete` can
 * bring the object back after its deletion.
 */

export type Removal = {
  readonly key: ObjectKey;
  /** Set: abort this multipart upload; null: delete the object. */
  readonly multipartId: string | null;
};

/** `guard` is a condition, e.g. an EXISTS on the row whose change decides; TRUE for always. */
export function planRemoval(removal: Removal, atMs: number, guard: Statement): Statement {
  return sql`
    INSERT INTO store_removals (object_key, multipart_id, not_before_at)
    SELECT ${removal.key}, ${removal.multipartId}, ${atMs} WHERE ${guard}`;
}

/** One sweep carries out at most this many, so that a long list cannot starve the other duties. */
const REMOVALS_PER_SWEEP = 100;

/** While one host works on a removal, no other picks it up. */
const CLAIM_MS = 30_000;

/** A store that keeps refusing is asked once an hour. */
const MAX_DELAY_MS = 3_600_000;

const removalRow = z.object({
  seq: z.number(),
  object_key: objectKeySchema,
  multipart_id: z.nullable(z.string()),
  attempts: z.number(),
});

/** Carries out what is due. Safe to run on several hosts at once. */
export async function carryOutRemovals(context: ServiceContext): Promise<void> {
  const { database, clock } = context.platform;
  const nowMs = clock.now();
  const due = await database.all(sql`
    SELECT seq FROM store_removals r
    WHERE not_before_at <= ${nowMs} AND (multipart_id IS NOT NULL OR NOT EXISTS (
      SELECT 1 FROM store_removals earlier
      WHERE earlier.object_key = r.object_key AND earlier.multipart_id IS NOT NULL))
    ORDER BY seq LIMIT ${REMOVALS_PER_SWEEP}`);
  for (const { seq } of due) {
    const claimed = await database.run(sql`
      UPDATE store_removals SET not_before_at = ${nowMs + CLAIM_MS}, attempts = attempts + 1
      WHERE seq = ${seq ?? null} AND not_before_at <= ${nowMs}
      RETURNING seq, object_key, multipart_id, attempts`);
    const row = claimed.rows[0];
    if (row !== undefined) await carryOut(context, removalRow.parse(row));
  }
}

async function carryOut(
  context: ServiceContext,
  removal: z.infer<typeof removalRow>,
): Promise<void> {
  const { database, objects, clock } = context.platform;
  try {
    if (removal.multipart_id === null) await objects.delete(removal.object_key);
    else
      await objects.abortMultipart({
        key: removal.object_key,
        multipartId: removal.multipart_id,
      });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const delayMs = Math.min(MAX_DELAY_MS, 1_000 * 2 ** Math.min(removal.attempts, 20));
    await database.run(sql`
      UPDATE store_removals SET not_before_at = ${clock.now() + delayMs} WHERE seq = ${removal.seq}`);
    context.log.warn("The store did not remove what it should; it will be asked again", {
      key: removal.object_key,
      attempts: removal.attempts,
      error,
    });
    return;
  }
  await database.run(sql`DELETE FROM store_removals WHERE seq = ${removal.seq}`);
}
