import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import { notificationEventIf } from "#service/changes/notification-event.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { type JobHandler, runDue } from "#service/jobs/job-runner.ts";
import { again, type Job, plan, planEach } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import { isAway, StoreError } from "#service/ports/object-store.ts";

/**
 * The store cannot take part in a database transaction. Removals are therefore planned in the batch
 * that decides them, and retried until the store confirms: jobs of the kind `removal` delete the
 * object of their key, those of the kind `abort` abort a multipart upload.
 *
 * An abort precedes a deletion of the same key: once the parts are gone, no late `complete` can
 * recreate the object after its deletion.
 *
 * | the store              | the removal
 * |------------------------|-----------------------------------------------------------------
 * | confirms               | is done
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

/** Between an object's key and the id of its multipart upload. No key contains it. */
const SEPARATOR = "\n";

export function abortKey(key: ObjectKey, multipartId: string): string {
  return key + SEPARATOR + multipartId;
}

/** Plans the removal if `condition` holds. */
export function planRemoval(
  { key, multipartId }: Removal,
  atMs: number,
  condition: Statement = ALWAYS,
): Statement {
  return multipartId === null
    ? plan("removal", key, atMs, condition)
    : plan("abort", abortKey(key, multipartId), atMs, condition);
}

/** {@link planRemoval} for several objects, in one statement. */
export function planDeletions(
  keys: readonly ObjectKey[],
  atMs: number,
  condition: Statement = ALWAYS,
): Statement {
  const selected = sql`SELECT value AS key FROM json_each(${JSON.stringify(keys)}) WHERE ${condition}`;
  return planEach("removal", selected, atMs);
}

/** Plans to abort the multiparts of the uploads that `which` selects. */
export function planAborts(which: Statement, atMs: number): Statement {
  return planEach(
    "abort",
    sql`SELECT object_key || ${SEPARATOR} || multipart_id AS key FROM uploads
      WHERE object_key IS NOT NULL AND multipart_id IS NOT NULL AND ${which}`,
    atMs,
  );
}

/** Deletes the rows of incomplete parts that `which` selects, and plans the removal of their objects. */
export function planPieceRemovals(which: Statement, atMs: number): readonly [Statement, Statement] {
  return [
    planEach("removal", sql`SELECT object_key AS key FROM incomplete_parts WHERE ${which}`, atMs),
    sql`DELETE FROM incomplete_parts WHERE ${which}`,
  ];
}

/** So that a caller does not wait for a long list: MAX_BULK_FILES with sidecars. */
const REMOVALS_AT_ONCE = 150;

/** Retention that ends within a day needs nobody's attention. */
const ANNOUNCED_AFTER_MS = 24 * 3_600_000;
const ANNOUNCED_AGAIN_AFTER_MS = 7 * 24 * 3_600_000;

/** Carries out what is due, aborts first. The rest follows from the jobs' rounds. */
export async function carryOutRemovals(context: ServiceContext): Promise<void> {
  await runDue(context, "abort", abortJob(context), REMOVALS_AT_ONCE);
  await runDue(context, "removal", removalJob(context), REMOVALS_AT_ONCE);
}

export function abortJob(context: ServiceContext): JobHandler {
  return {
    run(job) {
      const [key, multipartId = ""] = job.key.split(SEPARATOR);
      const handle = { key: objectKeySchema.parse(key), multipartId };
      return carryOut(context, job, () => context.platform.objects.abortMultipart(handle));
    },
  };
}

export function removalJob(context: ServiceContext): JobHandler {
  return {
    mayRun: sql`NOT EXISTS (SELECT 1 FROM jobs a WHERE a.kind = 'abort'
      AND a.key > jobs.key || char(10) AND a.key < jobs.key || char(11))`,
    run(job) {
      const key = objectKeySchema.parse(job.key);
      return carryOut(context, job, () => context.platform.objects.delete(key));
    },
  };
}

async function carryOut(
  { platform, log }: ServiceContext,
  job: Job,
  remove: () => Promise<void>,
): Promise<void | "done"> {
  const { database, clock } = platform;
  // A deletion cannot be undone, so the record of it must be durable first.
  await database.fsync?.();
  try {
    await remove();
    return "done";
  } catch (error) {
    if (!(error instanceof StoreError) || isAway(error)) throw error;
    const { key, attempts } = job;
    log.warn("The store did not delete an object; it will be tried again", {
      key,
      attempts,
      error,
    });
    await again(platform, job, error, [announceRefusals(clock.now())]);
    return undefined;
  }
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
    sql`EXISTS (SELECT 1 FROM jobs WHERE kind IN ('removal', 'abort')
        AND failing_since_at <= ${nowMs - ANNOUNCED_AFTER_MS})
      AND NOT EXISTS (SELECT 1 FROM notification_events WHERE type = 'service_unhealthy'
        AND subject = 'removals' AND created_at > ${nowMs - ANNOUNCED_AGAIN_AFTER_MS})`,
  );
}
