import type { ChatMessage } from "#contract/chat.ts";

/** Of the whole video: some pixels wide on a phone. */
export const BUCKETS = 120;

const MAX_PEAKS = 6;
/** At 320 pixels, the targets of two peaks are this many buckets wide. */
const MIN_DISTANCE = 12;

export type Peak = { readonly bucket: number; readonly startSec: number; readonly count: number };

/** The number of messages in each of equal parts of a video. */
export function countByBucket(
  messages: readonly ChatMessage[],
  durationSec: number,
): readonly number[] {
  const counts = Array.from({ length: BUCKETS }, () => 0);
  for (const { offsetSec } of messages) {
    const bucket = Math.min(BUCKETS - 1, Math.floor((offsetSec / durationSec) * BUCKETS));
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return counts;
}

/** The busiest parts, at least twice as busy as the average, in the order of time. */
export function peaksOf(counts: readonly number[], durationSec: number): readonly Peak[] {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const byCount = counts
    .map((count, bucket) => ({ bucket, startSec: (bucket / counts.length) * durationSec, count }))
    .filter(({ count }) => count >= Math.max(3, 2 * mean))
    .sort((left, right) => right.count - left.count);
  const peaks: Peak[] = [];
  for (const peak of byCount) {
    if (peaks.length === MAX_PEAKS) break;
    if (peaks.every(({ bucket }) => Math.abs(bucket - peak.bucket) >= MIN_DISTANCE))
      peaks.push(peak);
  }
  return peaks.sort((left, right) => left.bucket - right.bucket);
}
