/**
 * Helix's token bucket (docs/twitch.md#helix): a number of points per minute, refilled evenly, with
 * one bucket for the app and one for each user.
 */
export type RateState = {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds at which the bucket will be full. */
  readonly resetSec: number;
  readonly isAllowed: boolean;
};

export type RateBuckets = ReturnType<typeof createRateBuckets>;

const DEFAULT_POINTS_PER_MINUTE = 800;

export function createRateBuckets(now: () => number) {
  const buckets = new Map<string, { points: number; at: number }>();
  let pointsPerMinute = DEFAULT_POINTS_PER_MINUTE;
  return {
    spend(owner: string): RateState {
      const at = now();
      const bucket = buckets.get(owner) ?? { points: pointsPerMinute, at };
      const refilled = bucket.points + ((at - bucket.at) / 60_000) * pointsPerMinute;
      const points = Math.min(pointsPerMinute, refilled);
      const isAllowed = points >= 1;
      const left = isAllowed ? points - 1 : points;
      buckets.set(owner, { points: left, at });
      const missing = pointsPerMinute - left;
      return {
        limit: pointsPerMinute,
        remaining: Math.floor(left),
        resetSec: Math.ceil((at + (missing / Math.max(1, pointsPerMinute)) * 60_000) / 1_000),
        isAllowed,
      };
    },
    setRate(rate: { readonly pointsPerMinute?: number }): void {
      pointsPerMinute = rate.pointsPerMinute ?? pointsPerMinute;
      buckets.clear();
    },
  };
}
