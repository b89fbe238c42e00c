import type { ObjectKey } from "#contract/files.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import { plan, planEach, planOnce, SOLE } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";

/** For the start of a process. The sole job is the scrub's; the other keys are those of files that are read first. */
export function planScrub(nowMs: number): Statement {
  return planOnce("verify", nowMs);
}

/** An orphaned file has no digests, and an unfinished upload no end. */
const IS_WHOLE = sql`status <> 'orphaned' AND upload_type <> 'chunk'`;

/** Those that are read without a pace, at once or in their turn. */
export const REQUESTED_FILES = sql`files WHERE ${IS_WHOLE} AND (
  object_key IN (SELECT key FROM jobs WHERE kind = 'verify')
  OR verified_at < (SELECT verify_before_at FROM deployment))`;

/** Whether a file `f` is one of them. */
export const IS_REQUESTED = sql`EXISTS (SELECT 1 FROM files WHERE object_key = f.object_key
  AND ${IS_WHOLE} AND (verified_at < (SELECT verify_before_at FROM deployment)
    OR EXISTS (SELECT 1 FROM jobs WHERE kind = 'verify' AND key = object_key)))`;

/**
 * Has all files read at full pace. Asking again begins anew. Resolves with the number of files that
 * will be read.
 */
export async function requestEverything(
  { platform: { clock, database } }: ServiceContext,
  actor: Actor,
): Promise<number> {
  const nowMs = clock.now();
  const results = await database.batch([
    ...recordedChange(sql`UPDATE deployment SET verify_before_at = ${nowMs}`, nowMs, {
      audit: { ...actor, action: "store.verify", target: null },
    }),
    sql`UPDATE files SET verify_part = 1 WHERE verify_part > 1`,
    planEach("verify", sql`SELECT key FROM jobs WHERE kind = 'verify' UNION SELECT ${SOLE}`, nowMs),
    sql`SELECT coalesce(sum(files), 0) AS files FROM file_counts WHERE user_id = '*' AND ${IS_WHOLE}`,
  ]);
  return Number(results.at(-1)?.rows[0]?.["files"] ?? 0);
}

/**
 * Has a file read before all others and at full pace. Asking again while it is still to come begins it
 * anew. Resolves with false if it is no whole file.
 */
export async function requestVerification(
  { platform: { clock, database } }: ServiceContext,
  key: ObjectKey,
  actor: Actor,
): Promise<boolean> {
  const nowMs = clock.now();
  const isAsked = sql`object_key = ${key} AND verified_at IS NOT NULL AND ${IS_WHOLE}`;
  const [change] = await database.batch([
    // How long a file is unreadable still counts from the first attempt.
    ...recordedChange(sql`UPDATE files SET verify_part = 1 WHERE ${isAsked}`, nowMs, {
      audit: { ...actor, action: "file.verify", target: key },
    }),
    plan("verify", key, nowMs, sql`EXISTS (SELECT 1 FROM files WHERE ${isAsked})`),
  ]);
  return (change?.changes ?? 0) > 0;
}
