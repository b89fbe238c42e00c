import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { JOB_KINDS } from "#service/jobs/job-kinds.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { end, isHeld, later } from "#service/jobs/jobs.ts";
import { cancelUpload } from "#service/storage/upload-actions.ts";

const REASON = "Cancelled because the user who started it was banned.";

const { sliceSteps } = JOB_KINDS.cancel;

const banRow = z.object({ at: z.number(), actor_id: z.string(), request_id: z.string() });

/**
 * A ban cancels the pending uploads that the user had started; those of the user's rules wait for
 * somebody to take the rule over (storage/rule-hold.ts). Each cancellation is a batch of its own. The
 * batch of the ban therefore plans the job under the user's id. An upload that a runner has started
 * meanwhile finishes.
 */
export function cancellationJob(context: ServiceContext): JobHandler {
  const { database, clock } = context.platform;
  return {
    async run(job) {
      const [row] = await database.all(sql`SELECT at, actor_id, request_id FROM audit
        WHERE action = 'user.ban' AND target = ${job.key} AND result = 'done'
        ORDER BY seq DESC LIMIT 1`);
      if (row === undefined) {
        await end(context.platform, job);
        return;
      }
      const { at: bannedAtMs, actor_id: actorId, request_id: requestId } = banRow.parse(row);
      const waiting = await database.all(sql`SELECT id FROM uploads
        WHERE initiated_by = ${job.key} AND status = 'pending' AND NOT by_rule
          AND created_at <= ${bannedAtMs} LIMIT ${sliceSteps}`);
      for (const { id } of waiting)
        await cancelUpload(context, {
          uploadId: String(id),
          actorId,
          reason: REASON,
          requestId,
          atMs: clock.now(),
          onlyIf: isHeld(job),
        });
      if (waiting.length < sliceSteps) await end(context.platform, job);
      else await later(context.platform, job, clock.now());
    },
  };
}
