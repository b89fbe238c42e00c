import { jitter } from "#service/jitter.ts";
import type { Random } from "#service/ports/random.ts";

export type Backoff = {
  /** After the first failure; doubled with each further one. */
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
};

/**
 * The pause after the given number of failures in a row. Half of it is random, so that what failed
 * together is not repeated together. It is at least what the other side asked for.
 */
export function backoffMs(
  { firstDelayMs, longestDelayMs }: Backoff,
  failures: number,
  random: Random,
  retryAfterMs: number | null = null,
): number {
  const ceilingMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(Math.max(retryAfterMs ?? 0, ceilingMs * (0.5 + jitter(random) / 2)));
}
