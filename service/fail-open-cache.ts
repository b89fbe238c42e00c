import type { Cache } from "#service/ports/cache.ts";
import type { Logger } from "#service/logger.ts";

/**
 * A cache whose failures count as misses, which any cache may have. Only clearing it still fails,
 * because its caller needs the outcome.
 */
export function failOpenCache(cache: Cache, log: Logger): Cache {
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
