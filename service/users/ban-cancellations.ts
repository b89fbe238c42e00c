import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { LOOK_EVERY_MS, type PendingWork } from "#service/db/pending-work.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { cancelUpload } from "#service/storage/upload-actions.ts";
import type { UserChangeInput } from "./user-change.ts";

/**
 * A ban cancels the pending uploads that the user had started; those of the user's rules wait for
 * somebody to take the rule over (storage/rule-hold.ts). Each cancellation is a batch of its
 * own. The batch of the ban therefore notes the uploads, and the notes are processed right after
 * it, or by the next sweep if the process ends in between. An upload that a runner has started
 * meanwhile finishes.
 */

/** For the batch of the ban. */
export function noteCancellations(
  userId: string,
  input: Pick<UserChangeInput, "actorId" | "requestId">,
): Statement {
  return sql`
    INSERT INTO ban_cancellations (upload_id, actor_id, request_id)
    SELECT id, ${input.actorId}, ${input.requestId} FROM uploads
    WHERE initiated_by = ${userId} AND status = 'pending' AND NOT by_rule
    ON CONFLICT DO NOTHING`;
}

const REASON = "Cancelled because the user who started it was banned.";

const noteRow = z.object({
  upload_id: z.string(),
  actor_id: z.string(),
  request_id: z.string(),
  status: z.nullable(z.string()),
});

/** A ban's answer waits for this many, a few tenths of a second; the sweep does the rest. */
const CANCELLED_AT_ONCE = 200;

/** For bans with more cancellations than their answer waits for, or whose process ended. */
export function scheduleBanCancellations(context: ServiceContext, pending: PendingWork): void {
  const cancel = pending.when(sql`SELECT 1 FROM ban_cancellations`, () => cancelNoted(context));
  context.platform.scheduler.every(LOOK_EVERY_MS, "cancellations of bans", cancel);
}

/** Processes some of the notes. Idempotent and safe to run concurrently. */
export async function cancelNoted(context: ServiceContext): Promise<void> {
  const { database, clock } = context.platform;
  const rows = await database.all(sql`
    SELECT n.upload_id, n.actor_id, n.request_id, u.status
    FROM ban_cancellations n LEFT JOIN uploads u ON u.id = n.upload_id
    LIMIT ${CANCELLED_AT_ONCE}`);
  for (const row of rows) {
    const note = noteRow.parse(row);
    if (note.status === "pending") {
      await cancelUpload(context, {
        uploadId: note.upload_id,
        actorId: note.actor_id,
        reason: REASON,
        requestId: note.request_id,
        atMs: clock.now(),
      });
    }
    await database.run(sql`DELETE FROM ban_cancellations WHERE upload_id = ${note.upload_id}`, {
      isEssential: true,
    });
  }
}
