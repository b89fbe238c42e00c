import * as z from "zod/mini";
import { uploadIdSchema } from "#contract/ids.ts";
import { flagColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { RULE_BLOCK } from "./rule-permission.ts";
import { deleteUpload, UPLOAD_STOPS_TOPIC } from "./upload-actions.ts";
import { publishUploads } from "./upload-events.ts";

/** Bounds the writes of a call; a round of starts does the rest. */
const HELD_AT_ONCE = 100;

/** Condition on `uploads`: a rule or a person takes its VOD, of a channel that is followed. */
const IS_WANTED = sql`EXISTS (SELECT 1 FROM vods v JOIN channels c ON c.owner_id = v.owner_id
  WHERE v.vod_id = uploads.vod_id AND v.decision = 'take')`;

const heldRow = z.object({ id: uploadIdSchema, is_wanted: flagColumn });

/**
 * Stops uploads by rules that may not be copied any more. Their leases and writes ask that anyway, so
 * call it after each change that takes something back, to end their runners at once. One whose VOD is
 * still wanted keeps what it has stored and waits as the VOD does, with the reason; one that nobody
 * wants is deleted. Safe to repeat, and to run at the same time.
 */
export async function holdUploads(platform: Platform): Promise<void> {
  const { database, clock, hub } = platform;
  const rows = await database.all(sql`
    SELECT id, is_wanted FROM (
      SELECT id, status, error_message, ${RULE_BLOCK} AS block, ${IS_WANTED} AS is_wanted
      FROM uploads WHERE by_rule AND status IN ('pending', 'processing'))
    WHERE block IS NOT NULL
      AND (status = 'processing' OR error_message IS NOT block OR NOT is_wanted)
    LIMIT ${HELD_AT_ONCE}`);
  const held = rows.map((row) => heldRow.parse(row));
  if (held.length === 0) return;
  const ids = held.map(({ id }) => id);
  const nowMs = clock.now();
  const isHeld = sql`id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
    AND status IN ('pending', 'processing') AND ${RULE_BLOCK} IS NOT NULL`;
  await database.batch([
    sql`UPDATE uploads SET status = 'pending', phase = NULL, epoch = epoch + 1,
        version = version + 1, lease_owner = NULL, lease_until = NULL, next_attempt_at = NULL,
        lost_starts = 0, stalled_at = NULL, stall_reason = NULL, failure_class = NULL,
        error_message = ${RULE_BLOCK}, updated_at = ${nowMs}
      WHERE ${isHeld}`,
    sql`UPDATE vods SET next_start_at = ${nowMs}, waits_for = (
        SELECT error_message FROM uploads u WHERE u.vod_id = vods.vod_id ORDER BY seq DESC LIMIT 1)
      WHERE decision = 'take' AND vod_id IN (SELECT vod_id FROM uploads WHERE ${isHeld})`,
  ]);
  for (const id of ids) await hub.publish(UPLOAD_STOPS_TOPIC, id);
  const reason = "The rule of the channel no longer takes this VOD.";
  for (const { id, is_wanted: isWanted } of held)
    if (!isWanted) {
      const onlyIf = sql`EXISTS (SELECT 1 FROM uploads WHERE id = ${id} AND NOT ${IS_WANTED})`;
      await deleteUpload(
        { platform },
        { uploadId: id, actorId: null, reason, onlyIf, atMs: nowMs },
      );
    }
  await publishUploads(platform, ids);
}
