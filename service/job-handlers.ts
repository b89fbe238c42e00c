import type { ServiceContext } from "./context.ts";
import type { JobHandlers } from "./jobs/job-runner.ts";
import { ownerIndexJob } from "./uploads/renamed-owners.ts";
import { cancellationJob } from "./users/ban-cancellations.ts";

/** What is done for each kind of waiting work. */
export function createJobHandlers(context: ServiceContext): JobHandlers {
  return { cancel: cancellationJob(context), reindex: ownerIndexJob(context) };
}
