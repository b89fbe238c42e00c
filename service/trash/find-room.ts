import * as z from "zod/mini";
import type { DataOf } from "#contract/call.ts";
import { objectKeySchema } from "#contract/files.ts";
import { MAX_SIMULATED_FILES } from "#contract/limits.ts";
import { ROOM_GROUPS, type findRoom as call } from "#contract/trash.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { readObjectsDisk, roomIn } from "#service/space/disk-space.ts";
import { MAY_GO_TO_TRASH } from "./move-to-trash.ts";

/** Lists note twice a day that they have seen a VOD (channels/list.ts). */
const SEEN_WITHIN_MS = 24 * 3_600_000;

const foundRow = z.object({
  kind: z.enum(ROOM_GROUPS),
  files: z.number(),
  groupBytes: z.number(),
  key: objectKeySchema,
  name: z.string(),
  channel: z.nullable(z.string()),
  sizeBytes: z.number(),
});

/**
 * Finds files that may go to the trash to make room. Reads the orphaned and the partial files, the VODs of the
 * channels' lists, and of the others only the largest.
 */
export async function findRoom(context: ServiceContext): Promise<DataOf<typeof call>> {
  const { database, clock } = context.platform;
  const atSource = sql`v.gone_at IS NULL AND v.absent_since_at IS NULL AND v.missing_lists = 0
    AND coalesce(v.cut_at, v.muted_at) IS NULL AND v.last_seen_at >= ${clock.now() - SEEN_WITHIN_MS}`;
  const rows = await database.all(sql`
    WITH
      listed AS MATERIALIZED (
        SELECT f.seq FROM vods v CROSS JOIN files f INDEXED BY files_vod
        WHERE ${atSource} AND f.vod_id = v.vod_id AND f.upload_type = 'twitch'
          AND f.status = 'complete' AND ${MAY_GO_TO_TRASH}),
      watched AS MATERIALIZED (
        SELECT target FROM audit INDEXED BY audit_by_action
        WHERE action IN ('file.play', 'file.download') AND target IS NOT NULL),
      found AS (
        SELECT 'orphaned' AS kind, f.seq FROM files f INDEXED BY files_by_status
        WHERE f.status = 'orphaned' AND ${MAY_GO_TO_TRASH}
        UNION ALL SELECT 'partial', f.seq FROM files f INDEXED BY files_by_status
        WHERE f.status = 'partial' AND ${MAY_GO_TO_TRASH} AND EXISTS (
          SELECT 1 FROM files w INDEXED BY files_vod WHERE w.vod_id = f.vod_id
            AND w.upload_type = 'twitch' AND w.status = 'complete' AND w.trash_until IS NULL)
        UNION ALL SELECT 'at_source', seq FROM listed
        UNION ALL SELECT 'unwatched', seq FROM (
          SELECT f.seq FROM files f INDEXED BY files_by_size
          WHERE f.status = 'complete' AND f.seq NOT IN (SELECT seq FROM listed)
            AND f.object_key NOT IN (SELECT target FROM watched) AND ${MAY_GO_TO_TRASH}
          ORDER BY f.size_bytes DESC LIMIT ${MAX_SIMULATED_FILES})),
      ranked AS (
        SELECT found.kind, f.*, count(*) OVER (PARTITION BY found.kind) AS files,
          sum(f.size_bytes) OVER (PARTITION BY found.kind) AS group_bytes,
          row_number() OVER (PARTITION BY found.kind ORDER BY f.size_bytes DESC, f.seq) AS place
        FROM found CROSS JOIN files f ON f.seq = found.seq)
    SELECT r.kind, r.files, r.group_bytes AS groupBytes, r.object_key AS key,
      r.size_bytes AS sizeBytes, u.display_name AS channel,
      coalesce(json_extract(r.metadata, '$.title'), r.filename, r.object_key) AS name
    FROM ranked r LEFT JOIN users u ON u.id = r.user_id
    WHERE r.place <= ${MAX_SIMULATED_FILES} ORDER BY r.place`);
  const found = Object.groupBy(
    rows.map((row) => foundRow.parse(row)),
    ({ kind }) => kind,
  );
  const groups = ROOM_GROUPS.flatMap((group) => {
    const [first] = found[group] ?? [];
    if (first === undefined) return [];
    const largest = (found[group] ?? []).map(({ key, name, channel, sizeBytes }) => {
      return { key, name, channel, sizeBytes };
    });
    return [{ group, files: first.files, sizeBytes: first.groupBytes, largest }];
  });
  const disk = await readObjectsDisk(context);
  return { freeBytes: disk && Math.max(0, Math.floor(roomIn(disk))), groups };
}
