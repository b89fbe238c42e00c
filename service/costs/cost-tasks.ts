import type { ServiceContext } from "#service/context.ts";
import { checkThresholds } from "./alert-check.ts";

/** The console checks as often while it is open (specification section 9); this is for when it is not. */
const CHECK_EVERY_MS = 300_000;

export function scheduleCostTasks(context: ServiceContext): void {
  context.platform.scheduler.every(CHECK_EVERY_MS, "cost alerts", async () => {
    await checkThresholds(context);
  });
}
