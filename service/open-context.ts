import type { ServiceContext } from "./context.ts";
import { meterPlatform } from "./costs/meter-platform.ts";
import type { UsageMeter } from "./costs/usage-meter.ts";
import { createLogger } from "./logger.ts";
import type { Platform } from "./platform.ts";
import type { Settings } from "./settings.ts";
import { guardObjects } from "./space/guard-objects.ts";
import { createCopiedBytes, type CopiedBytes } from "#service/history/copied-bytes.ts";
import { createOwnedStore } from "./store/owned-store.ts";
import { failOpenCache } from "./fail-open-cache.ts";
import { observeStore } from "#service/metrics/observed-store.ts";
import { observeUpstreams } from "#service/metrics/observed-upstreams.ts";

export type OpenedContext = {
  /** The platform is counted, and its store refuses writes that a full disk could not hold. */
  readonly context: ServiceContext;
  readonly meter: UsageMeter;
  readonly copiedBytes: CopiedBytes;
};

export function openContext(platform: Platform, settings: Settings): OpenedContext {
  const log = createLogger(platform.clock, platform.logs);
  const { platform: metered, meter } = meterPlatform(platform);
  const copiedBytes = createCopiedBytes(metered.database, platform.clock);
  const { telemetry } = platform;
  const observed = {
    ...metered,
    ...observeUpstreams(metered),
    objects: observeStore(platform.objects, { meter, copiedBytes, telemetry }),
  };
  return {
    context: {
      platform: {
        ...observed,
        objects: createOwnedStore(guardObjects(observed.objects, { platform, settings }), {
          platform: observed,
          settings,
        }),
        cache: failOpenCache(metered.cache, log),
      },
      settings,
      log,
    },
    meter,
    copiedBytes,
  };
}
