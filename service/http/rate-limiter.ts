import { Failure } from "#service/failure.ts";
import type { Clock } from "#service/ports/clock.ts";

export type RateLimit = {
  /** What is counted together; two limits never share a bucket. */
  readonly name: string;
  /** Requests that may come at once after a pause. */
  readonly burst: number;
  readonly perMinute: number;
};

export type RateLimiter = {
  /**
   * Counts one request of `who`.
   * @throws {Failure} rate_limited with the time after which one more fits
   */
  take(limit: RateLimit, who: string): void;
};

/** Bounds memory when many addresses knock once each; a dropped bucket merely starts full again. */
const MAX_BUCKETS = 20_000;

/**
 * Token buckets in this process's memory: they protect the process, so they need not outlive it or
 * be shared. `factor` multiplies every limit.
 */
export function createRateLimiter(clock: Clock, factor: number): RateLimiter {
  const buckets = new Map<string, { tokens: number; atMs: number }>();

  return {
    take(limit, who) {
      const now = clock.monotonic();
      const burst = Math.max(1, limit.burst * factor);
      const perMs = (limit.perMinute * factor) / 60_000;
      const key = `${limit.name} ${who}`;
      const bucket = buckets.get(key) ?? { tokens: burst, atMs: now };
      const tokens = Math.min(burst, bucket.tokens + (now - bucket.atMs) * perMs);
      buckets.delete(key);
      if (buckets.size >= MAX_BUCKETS) dropOldest(buckets);
      if (tokens < 1) {
        buckets.set(key, { tokens, atMs: now });
        throw new Failure("rate_limited", "Too many requests. Please wait a moment.", {
          retryAfterSec: (1 - tokens) / perMs / 1_000,
        });
      }
      buckets.set(key, { tokens: tokens - 1, atMs: now });
    },
  };
}

/** A Map iterates in order of insertion, and each use inserts anew. */
function dropOldest(buckets: Map<string, unknown>): void {
  for (const key of buckets.keys()) {
    buckets.delete(key);
    return;
  }
}
