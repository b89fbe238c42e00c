import { ApiError } from "#service/api-error.ts";
import type { Clock } from "#service/ports/clock.ts";

export type RateLimit = {
  /** Requests with the same name share a bucket; two limits never do. */
  readonly name: string;
  /** Requests allowed at once after a pause. */
  readonly burst: number;
  readonly perMinute: number;
};

export type RateLimiter = {
  /**
   * Counts a request of `who`, which costs `cost` times a cheap one; at most the limit's burst.
   * @throws {ApiError} rate_limited with the time until it is allowed
   */
  take(limit: RateLimit, who: string, cost?: number): void;
  /** Refunds a request that turned out to belong to someone else. */
  giveBack(limit: RateLimit, who: string): void;
};

/** Bounds memory when many addresses send one request each; a dropped bucket starts full again. */
const MAX_BUCKETS = 20_000;

/**
 * Token buckets in this process's memory. They protect the process, so they are neither persisted
 * nor shared. `factor` multiplies every limit.
 */
export function createRateLimiter(clock: Clock, factor: number): RateLimiter {
  const buckets = new Map<string, { tokens: number; atMs: number }>();

  function read(limit: RateLimit, who: string) {
    const now = clock.monotonic();
    const burst = Math.max(1, limit.burst * factor);
    const perMs = (limit.perMinute * factor) / 60_000;
    const key = `${limit.name} ${who}`;
    const bucket = buckets.get(key) ?? { tokens: burst, atMs: now };
    const tokens = Math.min(burst, bucket.tokens + (now - bucket.atMs) * perMs);
    return {
      burst,
      perMs,
      tokens,
      keep: (left: number) => {
        buckets.delete(key);
        if (buckets.size >= MAX_BUCKETS) dropOldest(buckets);
        buckets.set(key, { tokens: left, atMs: now });
      },
    };
  }

  return {
    take(limit, who, cost = 1) {
      const { burst, perMs, tokens, keep } = read(limit, who);
      const price = Math.min(cost, burst);
      if (tokens < price) {
        keep(tokens);
        throw new ApiError("rate_limited", "Too many requests. Please wait a moment.", {
          retryAfterSec: (price - tokens) / perMs / 1_000,
        });
      }
      keep(tokens - price);
    },
    giveBack(limit, who) {
      const { burst, tokens, keep } = read(limit, who);
      keep(Math.min(burst, tokens + 1));
    },
  };
}

/** A Map iterates in insertion order, and each use reinserts the key. */
function dropOldest(buckets: Map<string, unknown>): void {
  for (const key of buckets.keys()) {
    buckets.delete(key);
    return;
  }
}
