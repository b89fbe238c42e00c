import type { BodyOf } from "#contract/call.ts";
import type { decideVods as decideCall } from "#contract/channel-vods.ts";
import { auditEntryIf } from "#service/changes/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import { requireChannel } from "./channel-list.ts";
import { HAS_NO_UPLOAD } from "./vod-state.ts";

/**
 * Takes VODs whatever the rule says, or leaves them out; a later change of the rule leaves that as
 * it is. What has an upload or a file, or is gone, stays as it is. Returns how many changed. Safe to
 * repeat.
 * @throws {ApiError} not_found
 */
export async function decideVods(
  { platform: { database, clock } }: ServiceContext,
  channelId: string,
  { vodIds, decision }: BodyOf<typeof decideCall>,
  actor: Actor,
): Promise<number> {
  await requireChannel(database, channelId);
  const which =
    vodIds === undefined
      ? sql`TRUE`
      : sql`v.vod_id IN (SELECT value FROM json_each(${JSON.stringify(vodIds)}))`;
  const [result] = await database.batch([
    sql`UPDATE vods AS v SET decision = ${decision}, decided_by = ${actor.actorId},
        reason = ${decision === "take" ? null : "by_hand"}, waits_for = NULL, next_start_at = NULL
      WHERE v.owner_id = ${channelId} AND v.gone_at IS NULL AND ${which} AND ${HAS_NO_UPLOAD}
        AND (v.decision IS NOT ${decision} OR v.decided_by IS NULL)`,
    auditEntryIf(
      {
        ...actor,
        atMs: clock.now(),
        action: "channel.decide",
        target: channelId,
        after: { decision, ...(vodIds === undefined ? { all: true } : { vodIds }) },
      },
      sql`changes() > 0`,
    ),
  ]);
  return result?.changes ?? 0;
}
