import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/** The stored files `f` of a rule `r` that have a date, by their index. */
const DATED_FILES = sql`files f INDEXED BY files_of_user_by_recording
  ON f.user_id = r.owner_id AND f.recorded_at IS NOT NULL AND f.upload_type = 'twitch'`;

const DAY_MS = 86_400_000;

/** Why a retention keeps a file `f`, whatever its rule says of the VOD; null if nothing protects it. */
const PROTECTION = sql`CASE
  WHEN f.locked_at IS NOT NULL THEN 'locked'
  WHEN EXISTS (SELECT 1 FROM uploads u WHERE u.vod_id = f.vod_id AND u.by_rule = 0)
    OR EXISTS (SELECT 1 FROM vods v WHERE v.vod_id = f.vod_id AND v.decided_by IS NOT NULL)
    THEN 'by_hand'
  WHEN f.status = 'orphaned' OR json_extract(f.metadata, '$.problem') IS NOT NULL
    OR EXISTS (SELECT 1 FROM unreadable_files x WHERE x.object_key = f.object_key)
    OR EXISTS (SELECT 1 FROM scan_findings s
      WHERE s.object_key = f.object_key AND s.kind = 'missing') THEN 'disputed'
  WHEN f.status <> 'complete' THEN 'unproved' END`;

/**
 * Ranks the VODs of channels by their retentions: the one statement that says which are beyond them, for
 * what goes to the trash (removable-files.ts) and for what a rule does not take (channels/judge.ts).
 *
 * A VOD is beyond its retention if its broadcast is older than the days and does not grow, or if newer
 * ones fill the number or the bytes; the newest never goes for its bytes alone. Only VODs with a file
 * that the retention could remove count, and copies of one VOD are one. What is protected or in the
 * trash already lies beside the count.
 *
 * `retentions` selects `owner_id, retention, author_id, paused_at`. `unstored` selects, of those rules
 * `r`, further VODs that have no file, as `owner_id, vod, recorded_at, size_bytes, counts, is_growing,
 * seq` (null) and `protection` (null). The rows are `owner_id, author_id, paused_at, vod, is_unstored,
 * is_beyond` and `files`, a JSON object of the copies by their `seq`: what protects each, or "trashed", or
 * null. Protected ones in the trash are left out.
 */
export function rankByRetention(
  retentions: Statement,
  nowMs: number,
  unstored: Statement | null = null,
): Statement {
  return sql`
    WITH rules AS MATERIALIZED (
      SELECT owner_id, author_id, paused_at, json_extract(retention, '$.keep') AS keep,
        json_extract(retention, '$.days') AS days, json_extract(retention, '$.count') AS count,
        json_extract(retention, '$.sizeBytes') AS limit_bytes
      FROM (${retentions}) WHERE json_extract(retention, '$.keep') <> 'all'),
    copies AS MATERIALIZED (
      SELECT r.owner_id, coalesce(f.vod_id, f.object_key) AS vod, f.recorded_at, f.size_bytes,
        f.trash_until IS NULL AS counts, 0 AS is_growing, f.seq, ${PROTECTION} AS protection
      FROM rules r CROSS JOIN ${DATED_FILES}
      ${unstored === null ? sql`` : sql`UNION ALL ${unstored}`}),
    ranked AS (
      SELECT *, coalesce(sum(counts) OVER newer, 0) AS newer,
        coalesce(sum(counts * size_bytes) OVER newer, 0) AS newer_bytes
      FROM (
        SELECT owner_id, vod, max(recorded_at) AS recorded_at,
          coalesce(max(iif(counts AND protection IS NULL, size_bytes, NULL)), max(size_bytes))
            AS size_bytes, max(counts AND protection IS NULL) AS counts,
          max(is_growing) AS is_growing, max(seq IS NULL) AS is_unstored,
          json_group_object(seq, coalesce(protection, iif(counts, NULL, 'trashed')))
            FILTER (WHERE seq IS NOT NULL AND (counts OR protection IS NULL)) AS files
        FROM copies GROUP BY owner_id, vod)
      WINDOW newer AS (PARTITION BY owner_id ORDER BY recorded_at DESC, vod DESC
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
    SELECT r.owner_id, r.author_id, r.paused_at, v.vod, v.is_unstored, v.files, CASE r.keep
        WHEN 'days' THEN NOT v.is_growing AND v.recorded_at < ${nowMs} - r.days * ${DAY_MS}
        WHEN 'count' THEN v.newer >= r.count
        ELSE v.newer > 0 AND v.newer_bytes + v.size_bytes > r.limit_bytes END AS is_beyond
    FROM ranked v JOIN rules r ON r.owner_id = v.owner_id`;
}
