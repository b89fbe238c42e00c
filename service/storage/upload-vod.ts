import type { FailureClass } from "#contract/upload.ts";
import { sql } from "#service/db/sql.ts";
import { SOLE, wakeEach } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";

/**
 * What becomes of a VOD of `vods` by what happens to its upload. Each is a statement for the batch that
 * changes the upload. Whether a VOD is stored, and the status of its upload, is read from their own rows
 * (the column `is_stored`, the view `vod_states`).
 *
 * Its rule may start a VOD from `next_start_at` on: {@link hasUpload} and {@link giveUpVod} set it to
 * null, {@link planAnotherTry} to a later time, and channels/judge.ts and storage/rule-hold.ts to now.
 */

/** Condition on a VOD `v`, as an index has it: the source has deleted, cut or muted it. */
export const IS_CHANGED = sql`coalesce(v.gone_at, v.cut_at, v.muted_at) IS NOT NULL`;

/** Whether a whole file is stored of a VOD that gets its row; triggers of `files` keep it then. */
export function isStored(vodId: Statement): Statement {
  return sql`EXISTS (SELECT 1 FROM files f WHERE f.vod_id = ${vodId}
    AND f.upload_type = 'twitch' AND f.status <> 'partial')`;
}

/** The upload of the VODs that `vodIds` selects is in the queue: no rule starts another. */
export function hasUpload(vodIds: Statement): Statement {
  return sql`UPDATE vods SET next_start_at = NULL, waits_for = NULL WHERE vod_id IN (${vodIds})`;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A VOD that is listed, but of which segments are gone, is copied anew by each try. */
const GONE_FOR_MS = 2 * DAY_MS;

/**
 * The upload failed: the rule that wanted the VOD tries it again after an hour, six hours and then
 * daily, until the source has deleted it (`gone_at`); hourly on the last day before its danger. What is
 * damaged at the source stays so.
 */
export function planAnotherTry(
  uploadId: string,
  failureClass: FailureClass,
  nowMs: number,
): Statement {
  const forMs = sql`(${nowMs} - u.created_at)`;
  return sql`UPDATE vods SET waits_for = u.error_message || ' Its rule tries it again.', next_start_at = ${nowMs} + CASE
      WHEN vods.danger_at BETWEEN ${nowMs} AND ${nowMs + DAY_MS} OR ${forMs} < ${HOUR_MS} THEN ${HOUR_MS}
      WHEN ${forMs} < ${8 * HOUR_MS} THEN ${6 * HOUR_MS} ELSE ${DAY_MS} END
    FROM uploads u WHERE u.id = ${uploadId} AND u.by_rule AND vods.vod_id = u.vod_id
      AND decision = 'take' AND ${failureClass} <> 'source_corrupt'
      AND (${failureClass} <> 'gone_at_source' OR ${forMs} < ${GONE_FOR_MS})`;
}

/**
 * For a batch that has VODs looked up sooner, and for the end of the one job that does it: when the first
 * one is due. Null if there is none.
 */
export const NEXT_CHECK = sql`(SELECT next_check_at FROM vods WHERE next_check_at IS NOT NULL
  ORDER BY next_check_at LIMIT 1)`;

export const wakeVodChecks = wakeEach(
  "vodCheck",
  sql`SELECT ${SOLE} AS key, ${NEXT_CHECK} AS due_at WHERE ${NEXT_CHECK} IS NOT NULL`,
);

/**
 * The upload is completed: its VOD is looked up at the source by its id, whether its channel is followed
 * or not. A part (item-id.ts) says nothing of its VOD.
 */
export function checkStoredVod(uploadId: string): Statement[] {
  const isDue = sql`INSERT INTO vods (vod_id, owner_id, kind, title, duration_sec, recorded_at, first_seen_at,
      last_seen_at, next_check_at, is_stored)
    SELECT vod_id, owner_id, 'archive', coalesce(title, filename), duration_sec,
      coalesce(recorded_at, created_at), created_at, coalesce(completed_at, created_at), 0,
      ${isStored(sql`uploads.vod_id`)}
    FROM uploads WHERE id = ${uploadId} AND kind = 'twitch' AND status = 'completed'
      AND vod_id IS NOT NULL AND instr(vod_id, '-') = 0
    ON CONFLICT (vod_id) DO UPDATE SET next_check_at = coalesce(next_check_at, 0)`;
  return [isDue, wakeVodChecks];
}

/**
 * Before a person deletes the upload. Whoever deletes the last one does not want a rule to begin it again,
 * also not what the rule left out and a person had started.
 */
export function giveUpVod(uploadId: string, actorId: string): Statement {
  return sql`UPDATE vods SET decision = 'leave', decided_by = ${actorId}, reason = 'by_hand',
      next_start_at = NULL, waits_for = NULL
    FROM uploads u WHERE u.id = ${uploadId} AND vods.vod_id = u.vod_id
      AND NOT EXISTS (SELECT 1 FROM uploads WHERE vod_id = u.vod_id AND id <> u.id)
      AND (decision = 'take' OR (decision = 'leave' AND NOT u.by_rule))`;
}
