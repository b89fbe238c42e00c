import type { Random } from "#service/ports/random.ts";

/** Uniform from 0 to 1, so that retries of many runners do not synchronize. */
export function jitter(random: Random): number {
  const [high = 0, low = 0] = random.bytes(2);
  return (high * 256 + low) / 65_535;
}
