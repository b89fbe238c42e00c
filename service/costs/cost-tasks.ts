import type { ServiceContext } from "#service/context.ts";
import { checkThresholds } from "./alert-check.ts";
import { cloudflareAccount, reconcileUsage } from "./reconcile-usage.ts";

/** For when no console is open; an open console checks as often (docs/console.md#intervals). */
const CHECK_EVERY_MS = 300_000;

/** A day is reconciled once; asking hourly only retries failures soon. */
const RECONCILE_EVERY_MS = 3_600_000;

export function scheduleCostTasks(context: ServiceContext): void {
  const { platform, settings, log } = context;
  platform.scheduler.every(CHECK_EVERY_MS, "cost alerts", async () => {
    await checkThresholds(context);
  });
  const account = cloudflareAccount(settings);
  if (account === null) return;
  platform.scheduler.every(RECONCILE_EVERY_MS, "usage reconciliation", async () => {
    const days = await reconcileUsage(context, account);
    if (days > 0) log.info("Usage was reconciled with Cloudflare's analytics", { days });
  });
}
