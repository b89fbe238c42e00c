import * as z from "zod/mini";
import type { Retention } from "#contract/channel-rules.ts";
import { objectKeySchema } from "#contract/files.ts";
import { keptReasonSchema } from "#contract/trash.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";

/**
 * Which files a retention removes. Simulations and the runs ask the same statement.
 *
 * A retention concerns the stored VODs of followed channels whose broadcasts have a date. It removes
 * those that are older than its days, or beyond its newest; the newest of a channel never goes for its
 * bytes alone. Of these it keeps, in this order of reasons:
 *
 * - `locked`: a person locked the file.
 * - `disputed`: index and store do not agree (files/file-damage.ts), or a scan misses the file.
 * - `unproved`: the archive is not whole.
 * - `no_right`: the rule's author may not delete uploads (any more).
 * - `paused`: the channel's rule or all rules are paused.
 *
 * While no scan of the whole store has ended lately, all are `disputed`.
 */
const removableRow = z.object({
  key: objectKeySchema,
  title: z.nullable(z.string()),
  channel: z.nullable(z.string()),
  sizeBytes: z.number(),
  recordedAt: instantColumn,
  isLastCopy: flagColumn,
  authorId: z.nullable(z.string()),
  /** Null unless it is in the trash. */
  trashUntilMs: z.nullable(z.number()),
  /** Why it is kept itself, however long the other obstacles last; null if it is not. */
  ownReason: z.nullable(keptReasonSchema),
  reason: z.nullable(keptReasonSchema),
});
export type RemovableFile = z.infer<typeof removableRow>;

/** The files `f` of a rule `r`, by their index. */
const DATED_FILES = sql`files f INDEXED BY files_of_user_by_recording
  ON f.user_id = r.owner_id AND f.recorded_at IS NOT NULL AND f.upload_type = 'twitch'`;

/** Scans of the store begin every half hour. */
const SCANNED_WITHIN_MS = 3 * 3_600_000;

const DAY_MS = 86_400_000;

/** The retentions as they are saved, each on the right of whoever set it. */
export const SAVED_RETENTIONS = sql`
  SELECT c.owner_id, coalesce(json_extract(c.changes, '$.retention'),
      json_extract(d.rule, '$.retention')) AS retention,
    iif(json_extract(c.changes, '$.retention') IS NULL, d.author_id, c.author_id) AS author_id,
    coalesce(c.paused_at, d.paused_at) AS paused_at
  FROM channels c CROSS JOIN channel_defaults d`;

/** A retention that a person thinks of, for one channel or, if null, those without their own. */
export function proposedRetention(
  channelId: string | null,
  retention: Retention,
  authorId: string,
): Statement {
  return sql`
    SELECT c.owner_id, ${JSON.stringify(retention)} AS retention, ${authorId} AS author_id,
      coalesce(c.paused_at, d.paused_at) AS paused_at
    FROM channels c CROSS JOIN channel_defaults d
    WHERE ${channelId === null ? sql`json_extract(c.changes, '$.retention') IS NULL` : sql`c.owner_id = ${channelId}`}`;
}

/** Condition: the user may delete uploads by a rule. */
export function mayRemove(userId: Statement): Statement {
  return sql`EXISTS (SELECT 1 FROM users a WHERE a.id = ${userId} AND a.banned_at IS NULL
    AND instr(a.permissions, '"delete:uploads"') > 0 AND instr(a.permissions, '"write:uploads"') > 0)`;
}

/** Oldest broadcast first, with those that are kept, and those in the trash. */
export async function findRemovableFiles(
  database: Database,
  retentions: Statement,
  nowMs: number,
): Promise<readonly RemovableFile[]> {
  const rows = await database.all(sql`
    WITH rules AS MATERIALIZED (
      SELECT owner_id, author_id, paused_at, json_extract(retention, '$.keep') AS keep,
        json_extract(retention, '$.days') AS days, json_extract(retention, '$.count') AS count,
        json_extract(retention, '$.sizeBytes') AS size_bytes
      FROM (${retentions}) WHERE json_extract(retention, '$.keep') <> 'all'),
    beyond AS (
      SELECT f.seq, r.owner_id FROM rules r CROSS JOIN ${DATED_FILES}
        AND f.recorded_at < ${nowMs} - r.days * ${DAY_MS}
      WHERE r.keep = 'days'
      UNION ALL
      SELECT seq, owner_id FROM (
        SELECT f.seq, r.owner_id, r.keep, r.count, r.size_bytes, row_number() OVER newest AS place,
          -- Of files in a count, only the index is read.
          sum(iif(r.keep = 'bytes', f.size_bytes, 0)) OVER newest AS bytes
        FROM rules r CROSS JOIN ${DATED_FILES} WHERE r.keep IN ('count', 'bytes')
        WINDOW newest AS (PARTITION BY r.owner_id ORDER BY f.recorded_at DESC, f.seq DESC
          ROWS UNBOUNDED PRECEDING))
      WHERE place > 1 AND iif(keep = 'count', place > count, bytes > size_bytes)),
    removable AS (
      SELECT b.seq, r.author_id, r.paused_at, CASE
          WHEN f.locked_at IS NOT NULL THEN 'locked'
          WHEN f.status = 'orphaned' OR json_extract(f.metadata, '$.problem') IS NOT NULL
            OR EXISTS (SELECT 1 FROM unreadable_files x WHERE x.object_key = f.object_key)
            OR EXISTS (SELECT 1 FROM store_sightings s
              WHERE s.object_key = f.object_key AND s.tag = 'missing') THEN 'disputed'
          WHEN f.status <> 'complete' THEN 'unproved'
          WHEN NOT ${mayRemove(sql`r.author_id`)} THEN 'no_right' END AS ownReason
      FROM beyond b JOIN rules r ON r.owner_id = b.owner_id JOIN files f ON f.seq = b.seq)
    SELECT f.object_key AS key, json_extract(f.metadata, '$.title') AS title,
      u.display_name AS channel, f.size_bytes AS sizeBytes, f.recorded_at AS recordedAt,
      EXISTS (SELECT 1 FROM vods v WHERE v.vod_id = f.vod_id AND v.gone_at IS NOT NULL)
        AS isLastCopy,
      r.author_id AS authorId, f.trash_until AS trashUntilMs, r.ownReason,
      CASE WHEN r.ownReason IS NOT NULL THEN r.ownReason
        WHEN r.paused_at IS NOT NULL THEN 'paused'
        WHEN NOT EXISTS (SELECT 1 FROM store_scan WHERE ended_at >= ${nowMs - SCANNED_WITHIN_MS})
          THEN 'disputed' END AS reason
    FROM removable r JOIN files f ON f.seq = r.seq LEFT JOIN users u ON u.id = f.user_id
    ORDER BY f.recorded_at, f.seq`);
  return rows.map((row) => removableRow.parse(row));
}
