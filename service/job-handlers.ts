import { lateExtrasJob } from "./archiver/late-extras.ts";
import { chatErasureJob } from "./chat/chat-erasure.ts";
import type { ServiceContext } from "./context.ts";
import type { JobHandlers } from "./jobs/job-runner.ts";
import type { Sources } from "./source/source.ts";
import { abortJob, removalJob } from "./storage/store-removals.ts";
import { ownerIndexJob } from "./uploads/renamed-owners.ts";
import { cancellationJob } from "./users/ban-cancellations.ts";

/** What is done for each kind of waiting work. */
export function createJobHandlers(
  context: ServiceContext,
  { sources }: { readonly sources: Sources },
): JobHandlers {
  return {
    abort: abortJob(context),
    cancel: cancellationJob(context),
    erasure: chatErasureJob(context),
    extras: lateExtrasJob(context, sources),
    reindex: ownerIndexJob(context),
    removal: removalJob(context),
  };
}
