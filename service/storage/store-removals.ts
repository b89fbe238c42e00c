import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { isPast } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import type { ServiceContext } from "#service/context.ts";
import { notificationEventIf } from "#service/changes/notification-event.ts";
import type { Statement } from "#service/ports/database.ts";
import { isAway, StoreError } from "#service/ports/object-store.ts";
import * as z from "zod/mini";

/**
 * The store cannot take part in a database transaction. Removals are therefore recorded in the
 * batch that decides them, and retried here until the store confirms.
 *
 * An abort precedes a deletion of the same key: once the parts are gone, no late `complete` can
 * recreate the object after its deletion.
 *
 * | the store              | the removal
 * |------------------------|-----------------------------------------------------------------
 * | confirms               | is done, its row is deleted
 * | is away, or not ours   | waits for up to a minute, so that it follows the store's return
 * | refuses it, e.g. locks | keeps the reason, waits for up to an hour, is shown on System and
 * |                        | announced after a day
 */

export type Removal = {
  readonly key: ObjectKey;
  /** The multipart upload to abort; null deletes the object. */
  readonly multipartId: string | null;
};

const ALWAYS = sql`TRUE`;

/** Plans the removal if `condition` holds. */
export function planRemoval(
  removal: Removal,
  atMs: number,
  condition: Statement = ALWAYS,
): Statement {
  return sql`
    INSERT INTO store_removals (object_key, multipart_id, not_before_at)
    SELECT ${removal.key}, ${removal.multipartId}, ${atMs} WHERE ${condition}`;
}

/** {@link planRemoval} for several objects, in one statement. */
export function planDeletions(
  keys: readonly ObjectKey[],
  atMs: number,
  condition: Statement = ALWAYS,
): Statement {
  return sql`
    INSERT INTO store_removals (object_key, not_before_at)
    SELECT value, ${atMs} FROM json_each(${JSON.stringify(keys)}) WHERE ${condition}`;
}

/** Deletes the rows of incomplete parts that `which` selects, and plans the removal of their objects. */
export function planPieceRemovals(which: Statement, atMs: number): readonly [Statement, Statement] {
  return [
    sql`INSERT INTO store_removals (object_key, not_before_at)
      SELECT object_key, ${atMs} FROM incomplete_parts WHERE ${which}`,
    sql`DELETE FROM incomplete_parts WHERE ${which}`,
  ];
}

/** Limit per sweep, so that a long list does not starve other tasks: MAX_BULK_FILES with sidecars. */
const REMOVALS_PER_SWEEP = 150;

/** Rows claimed with one write. */
const CLAIMED_AT_ONCE = 10;
/** R2 and the database together may use six connections of a Worker. */
const REMOVED_AT_ONCE = 5;

/** For this long no other host picks up a claimed removal. */
const CLAIM_MS = 30_000;

/** Maximum backoff for a store that keeps refusing. */
const MAX_DELAY_MS = 3_600_000;
/** As long as the longest pause between two probes of a store that is away. */
const MAX_AWAY_DELAY_MS = 60_000;

/** Retention that ends within a day needs nobody's attention. */
const ANNOUNCED_AFTER_MS = 24 * 3_600_000;
const ANNOUNCED_AGAIN_AFTER_MS = 7 * 24 * 3_600_000;

const removalRow = z.object({
  seq: z.number(),
  object_key: objectKeySchema,
  multipart_id: z.nullable(z.string()),
  attempts: z.number(),
});
type ClaimedRemoval = z.infer<typeof removalRow>;
type FailedRemoval = { readonly removal: ClaimedRemoval; readonly error: StoreError };

/**
 * Carries out due removals. Safe to run on several hosts at once. Resolves with the objects that the
 * store refuses to delete, and why.
 */
export async function carryOutRemovals(
  context: ServiceContext,
): Promise<ReadonlyMap<ObjectKey, string>> {
  const refusals = new Map<ObjectKey, string>();
  for (let carriedOut = 0; carriedOut < REMOVALS_PER_SWEEP; carriedOut += CLAIMED_AT_ONCE) {
    const claimedUntilMs = context.platform.clock.now() + CLAIM_MS;
    const claimed = await claim(context, claimedUntilMs);
    const failed = await carryOut(context, claimed, claimedUntilMs);
    for (const { removal, error } of failed)
      if (!isAway(error)) refusals.set(removal.object_key, error.message);
    if (failed.length === claimed.length && failed.every(({ error }) => isAway(error))) break;
    // A deletion of the same key becomes claimable only after its abort.
    const mayHaveFollowers = claimed.some((removal) => removal.multipart_id !== null);
    if (claimed.length < CLAIMED_AT_ONCE && !mayHaveFollowers) break;
  }
  return refusals;
}

async function claim(
  { platform }: ServiceContext,
  claimedUntilMs: number,
): Promise<readonly ClaimedRemoval[]> {
  const nowMs = claimedUntilMs - CLAIM_MS;
  const { rows } = await platform.database.run(
    sql`
    UPDATE store_removals SET not_before_at = ${claimedUntilMs}, attempts = attempts + 1
    WHERE seq IN (
      SELECT seq FROM store_removals r
      WHERE ${isPast(sql`not_before_at`, nowMs)} AND (multipart_id IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM store_removals earlier
        WHERE earlier.object_key = r.object_key AND earlier.multipart_id IS NOT NULL))
      ORDER BY seq LIMIT ${CLAIMED_AT_ONCE})
    RETURNING seq, object_key, multipart_id, attempts`,
    { isEssential: true },
  );
  return rows.map((row) => removalRow.parse(row));
}

/**
 * Records all outcomes in one batch, except for removals that another host has claimed since.
 * Resolves with those that failed.
 */
async function carryOut(
  context: ServiceContext,
  removals: readonly ClaimedRemoval[],
  claimedUntilMs: number,
): Promise<readonly FailedRemoval[]> {
  if (removals.length === 0) return [];
  const { database, clock } = context.platform;
  // A deletion cannot be undone, so the record of it must be durable first.
  await database.fsync?.();
  const done: number[] = [];
  const failed: FailedRemoval[] = [];
  for (let from = 0; from < removals.length; from += REMOVED_AT_ONCE)
    await Promise.all(
      removals.slice(from, from + REMOVED_AT_ONCE).map(async (removal) => {
        const error = await remove(context, removal);
        if (error === null) done.push(removal.seq);
        else failed.push({ removal, error });
      }),
    );
  const nowMs = clock.now();
  await database.batch(
    [
      sql`DELETE FROM store_removals
      WHERE seq IN (SELECT value FROM json_each(${JSON.stringify(done)}))
        AND not_before_at = ${claimedUntilMs}`,
      ...failed.map(({ removal: { seq, attempts }, error }) => {
        const refusal = isAway(error) ? null : error.message;
        return sql`
        UPDATE store_removals SET not_before_at = ${nowMs + delayMs(attempts, error)},
          refusal = coalesce(${refusal}, refusal),
          refused_since_at = coalesce(refused_since_at, iif(${refusal} IS NULL, NULL, ${nowMs}))
        WHERE seq = ${seq} AND not_before_at = ${claimedUntilMs}`;
      }),
      ...(failed.length === 0 ? [] : [announceRefusals(nowMs)]),
    ],
    { isEssential: true },
  );
  logFailures(context, failed);
  return failed;
}

/** A store that is away fails all deletions for one reason. */
function logFailures({ log }: ServiceContext, failed: readonly FailedRemoval[]): void {
  const away = failed.filter(({ error }) => isAway(error));
  if (away[0] !== undefined)
    log.warn("The store is away; deletions will be retried", {
      deletions: away.length,
      error: away[0].error,
    });
  for (const { removal, error } of failed)
    if (!isAway(error))
      log.warn("The store did not delete an object; the deletion will be retried", {
        key: removal.object_key,
        attempts: removal.attempts,
        error,
      });
}

function delayMs(attempts: number, error: StoreError): number {
  const most = isAway(error) ? MAX_AWAY_DELAY_MS : MAX_DELAY_MS;
  return Math.min(most, 1_000 * 2 ** Math.min(attempts, 20));
}

/** The objects stay in the store and cost money, but are in no list. */
function announceRefusals(nowMs: number): Statement {
  return notificationEventIf(
    {
      type: "service_unhealthy",
      subject: "removals",
      title: "The object store refuses deletions",
      body: "Objects that were deleted more than a day ago are still in the object store, because it refuses to delete them. System says how many, and why.",
      link: "/system",
    },
    nowMs,
    sql`EXISTS (SELECT 1 FROM store_removals WHERE refused_since_at <= ${nowMs - ANNOUNCED_AFTER_MS})
      AND NOT EXISTS (SELECT 1 FROM notification_events WHERE type = 'service_unhealthy'
        AND subject = 'removals' AND created_at > ${nowMs - ANNOUNCED_AGAIN_AFTER_MS})`,
  );
}

/** Returns the error; null if the store confirmed. */
async function remove(
  context: ServiceContext,
  removal: ClaimedRemoval,
): Promise<StoreError | null> {
  const { objects } = context.platform;
  const { object_key: key, multipart_id: multipartId } = removal;
  try {
    if (multipartId === null) await objects.delete(key);
    else await objects.abortMultipart({ key, multipartId });
    return null;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return error;
  }
}
