import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { cancelUpload } from "#service/storage/upload-actions.ts";

/**
 * What people did while the stand-in played Twitch. Its ids mean other channels and videos at the real
 * one, and anybody could agree in a channel's name. Nothing is deleted, because a deployment whose
 * credentials were lost for a while has the stand-in, too.
 */

export async function hasUsers(database: Pick<Database, "all">): Promise<boolean> {
  return (await database.all(sql`SELECT 1 FROM users LIMIT 1`)).length > 0;
}

/** Pauses all channels and ends every basis on which they could be archived. */
export function stopRules(nowMs: number): readonly Statement[] {
  return [
    sql`UPDATE channels SET paused_at = ${nowMs} WHERE paused_at IS NULL`,
    sql`UPDATE consents SET withdrawn_at = ${nowMs} WHERE withdrawn_at IS NULL`,
    sql`DELETE FROM rights_confirmations`,
  ];
}

/** Call when no rule and no user may start any more. Safe to repeat. */
export async function cancelTrialArchives(
  context: ServiceContext,
  requestId: string,
): Promise<void> {
  const { database, clock } = context.platform;
  const unfinished = await database.all(sql`SELECT id FROM uploads
    WHERE kind = 'twitch' AND status IN ('pending', 'processing')`);
  for (const { id } of unfinished)
    await cancelUpload(context, {
      uploadId: String(id),
      actorId: null,
      reason: "Cancelled because the real Twitch was connected.",
      requestId,
      atMs: clock.now(),
    });
}
