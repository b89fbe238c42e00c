import type { ServiceContext } from "#service/context.ts";
import { cancelNoted } from "./ban-cancellations.ts";

/** For a ban whose process ended before it had cancelled the pending uploads. */
const SWEEP_EVERY_MS = 30_000;

export function scheduleUserTasks(context: ServiceContext): void {
  context.platform.scheduler.every(SWEEP_EVERY_MS, "cancellations of bans", () =>
    cancelNoted(context),
  );
}
