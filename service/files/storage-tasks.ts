import type { ServiceContext } from "#service/context.ts";
import { reconcilePage } from "./reconcile.ts";
import { removeUnownedMultiparts } from "./unowned-multiparts.ts";

/** How often the reconciler looks whether a page is due. */
const RECONCILE_EVERY_MS = 15_000;
/** A page at a time leaves the process to others; more than this wait for the next tick. */
const PAGES_A_TICK = 20;
const MULTIPARTS_EVERY_MS = 3_600_000;

export function scheduleStorageTasks(context: ServiceContext): void {
  const { scheduler } = context.platform;
  scheduler.every(RECONCILE_EVERY_MS, "store reconciliation", async () => {
    for (let page = 0; page < PAGES_A_TICK; page++) if (!(await reconcilePage(context))) return;
  });
  scheduler.every(MULTIPARTS_EVERY_MS, "unowned multiparts", () =>
    removeUnownedMultiparts(context),
  );
}
