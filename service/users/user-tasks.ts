import type { ServiceContext } from "#service/context.ts";
import { indexRenamedOwners } from "#service/uploads/renamed-owners.ts";
import { cancelNoted } from "./ban-cancellations.ts";

/** For bans with more cancellations than their answer waits for, or whose process ended. */
const CANCEL_EVERY_MS = 5_000;

/** Maximum delay until the upload list finds a changed name. */
const INDEX_EVERY_MS = 10_000;

export function scheduleUserTasks(context: ServiceContext): void {
  const { scheduler, database } = context.platform;
  scheduler.every(CANCEL_EVERY_MS, "cancellations of bans", () => cancelNoted(context));
  scheduler.every(INDEX_EVERY_MS, "names in the search index", () => indexRenamedOwners(database));
}
