import { profileCheckJob } from "./channels/channel-profiles.ts";
import { listJob } from "./channels/follow.ts";
import { vodCheckJob } from "./channels/source-changes.ts";
import { chatErasureJob } from "./chat/chat-erasure.ts";
import { chatJob } from "./chat/chat-slice.ts";
import { backupJob, restoreTestJob } from "./backups/backup-jobs.ts";
import type { ServiceContext } from "./context.ts";
import { twitchCheckJob } from "./doctor/twitch-watch.ts";
import type { JobHandlers } from "./jobs/job-runner.ts";
import { libraryJob } from "./library/library-sweep.ts";
import { deliveryJob } from "./notifications/delivery-round.ts";
import type { Messaging } from "./notifications/messaging.ts";
import { verificationJob } from "./proof/scrub.ts";
import type { Sources } from "./source/source.ts";
import { abortJob, removalJob } from "./storage/store-removals.ts";
import { ownerIndexJob } from "./uploads/renamed-owners.ts";
import type { TwitchApi } from "./twitch/twitch-api.ts";
import { cancellationJob } from "./users/ban-cancellations.ts";
import { webhookJob } from "./webhooks/webhook-queue.ts";
import type { WebhookSender } from "./webhooks/webhook-sender.ts";

type JobNeeds = {
  readonly sources: Sources;
  /** Its requests wait for the background's budget. */
  readonly backgroundTwitchApi: TwitchApi;
  readonly messaging: Pick<Messaging, "telegram" | "email">;
  readonly webhooks: WebhookSender;
};

/** What is done for each kind of waiting work. */
export function createJobHandlers(
  context: ServiceContext,
  { sources, backgroundTwitchApi, messaging, webhooks }: JobNeeds,
): JobHandlers {
  return {
    abort: abortJob(context),
    backup: backupJob(context),
    cancel: cancellationJob(context),
    chat: chatJob(context, sources),
    email: deliveryJob(context, messaging.email),
    erasure: chatErasureJob(context),
    library: libraryJob(context),
    list: listJob(context, backgroundTwitchApi),
    profileCheck: profileCheckJob(context, backgroundTwitchApi),
    reindex: ownerIndexJob(context),
    removal: removalJob(context),
    restoreTest: restoreTestJob(context),
    telegram: deliveryJob(context, messaging.telegram),
    twitch: twitchCheckJob(context),
    verify: verificationJob(context),
    vodCheck: vodCheckJob(context, backgroundTwitchApi),
    webhook: webhookJob(context, webhooks),
  };
}
