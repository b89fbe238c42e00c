import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { runDue } from "#service/jobs/job-runner.ts";
import { isDue, plan, SOLE } from "#service/jobs/jobs.ts";
import { verificationJob } from "#service/proof/scrub.ts";

/** Runs the scrub, and what it has read first, until nothing of that is due. */
export async function runScrub(context: ServiceContext): Promise<void> {
  const { clock, database } = context.platform;
  const handler = verificationJob(context);
  const nowMs = clock.now();
  await database.run(plan("verify", SOLE, nowMs));
  const due = sql`SELECT 1 FROM jobs WHERE kind = 'verify' AND ${isDue(nowMs)}`;
  while ((await database.all(due)).length > 0) await runDue(context, "verify", handler, 1);
}
