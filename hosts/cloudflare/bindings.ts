import type { WakeUp } from "#service/ports/resume-queue.ts";
import type { LiveHubObject } from "./live-hub-object.ts";
import type { SchedulerObject } from "./scheduler-object.ts";

/**
 * The bindings declared in wrangler.jsonc. The environment also contains the service's settings
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

/** The deployment has one hub and one scheduler. */
const ONLY = "main";

export function hubOf(bindings: Pick<Bindings, "LIVE_HUB">): DurableObjectStub<LiveHubObject> {
  return bindings.LIVE_HUB.getByName(ONLY);
}

export function schedulerOf(
  bindings: Pick<Bindings, "SCHEDULER">,
): DurableObjectStub<SchedulerObject> {
  return bindings.SCHEDULER.getByName(ONLY);
}
