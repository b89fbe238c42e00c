import type { ServiceContext } from "./context.ts";
import { meterPlatform } from "./costs/meter-platform.ts";
import type { UsageMeter } from "./costs/usage-meter.ts";
import { createLogger, type Logger } from "./logger.ts";
import type { Platform } from "./platform.ts";
import type { Settings } from "./settings.ts";
import { guardObjects } from "./space/disk-space.ts";
import { createCopiedBytes, type CopiedBytes } from "#service/history/copied-bytes.ts";
import { createOwnedStore } from "./store/owned-store.ts";
import { observeStore } from "#service/metrics/observed-store.ts";
import { observeUpstreams } from "#service/metrics/observed-upstreams.ts";
import type { Cache } from "#service/ports/cache.ts";

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

/**
 * A cache whose failures count as misses, which any cache may have. Only clearing it still fails,
 * because its caller needs the outcome.
 */
function failOpenCache(cache: Cache, log: Logger): Cache {
  return {
    async get(key) {
      try {
        return await cache.get(key);
      } catch (error) {
        log.warn("The cache could not be read", { key, error });
        return null;
      }
    },
    async set(key, value, timeToLiveMs) {
      try {
        await cache.set(key, value, timeToLiveMs);
      } catch (error) {
        log.warn("The cache could not be written", { key, error });
      }
    },
    clear: () => cache.clear(),
  };
}
