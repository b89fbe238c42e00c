import type { ServiceContext } from "#service/context.ts";
import { reconcilePage } from "./reconcile.ts";
import { removeStrayMultiparts } from "#service/storage/stray-multiparts.ts";

/** How often the reconciler checks whether a page is due. */
const RECONCILE_EVERY_MS = 15_000;
/** Pages per tick, so that other work is not held up. */
const PAGES_A_TICK = 20;
const STRAYS_EVERY_MS = 3_600_000;

export function scheduleStorageTasks(context: ServiceContext): void {
  const { scheduler } = context.platform;
  scheduler.every(RECONCILE_EVERY_MS, "store reconciliation", async () => {
    for (let page = 0; page < PAGES_A_TICK; page++) if (!(await reconcilePage(context))) return;
  });
  scheduler.every(STRAYS_EVERY_MS, "stray multipart uploads", () => removeStrayMultiparts(context));
}
