import type { WakeUp } from "#service/ports/resume-queue.ts";
import type { LiveHubObject } from "./live-hub-object.ts";
import type { SchedulerObject } from "./scheduler-object.ts";

/**
 * What wrangler.jsonc binds. Beside these, the environment holds the settings of the service
 * (`service/settings.ts`) as variables and secrets.
 */
export type Bindings = {
  readonly DB: D1Database;
  readonly OBJECTS: R2Bucket;
  readonly CACHE: KVNamespace;
  readonly VOD_RESUME: Queue<WakeUp>;
  readonly LIVE_HUB: DurableObjectNamespace<LiveHubObject>;
  readonly SCHEDULER: DurableObjectNamespace<SchedulerObject>;
  readonly ASSETS: Fetcher;
  readonly VERSION: WorkerVersionMetadata;
};

/** One hub and one scheduler for the whole deployment. */
const ONLY = "main";

export function hubOf(bindings: Pick<Bindings, "LIVE_HUB">): DurableObjectStub<LiveHubObject> {
  return bindings.LIVE_HUB.getByName(ONLY);
}

export function schedulerOf(
  bindings: Pick<Bindings, "SCHEDULER">,
): DurableObjectStub<SchedulerObject> {
  return bindings.SCHEDULER.getByName(ONLY);
}
