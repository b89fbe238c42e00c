import { useMemo } from "react";
import { type ChatMessage } from "#contract/chat.ts";
import { clockTime } from "#contract/clock-time.ts";
import { formatPlural } from "#console/lib/format.ts";
import { useChatLog } from "./chat-log.ts";
import styles from "./chat.module.css";

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

/** How busy the chat was over a video; empty until it is read. */
export function ChatActivity({
  url,
  durationSec,
  onSeek,
}: {
  readonly url: string;
  readonly durationSec: number;
  readonly onSeek: (sec: number) => void;
}) {
  const { data = NONE } = useChatLog(url);
  return <ChatHistogram messages={data} durationSec={durationSec} onSeek={onSeek} />;
}

const NONE: readonly ChatMessage[] = [];

/** The numbers of messages over time, with a button for each peak. */
export function ChatHistogram({
  messages,
  durationSec,
  onSeek,
}: {
  readonly messages: readonly ChatMessage[];
  readonly durationSec: number;
  readonly onSeek: (sec: number) => void;
}) {
  const { path, peaks } = useMemo(() => {
    if (durationSec <= 0) return { path: "", peaks: [] };
    const counts = countByBucket(messages, durationSec);
    const most = Math.max(1, ...counts);
    const bars = counts.map((count, bucket) => `M${bucket} 1V${1 - count / most}h1V1z`);
    return { path: bars.join(""), peaks: peaksOf(counts, durationSec) };
  }, [messages, durationSec]);
  return (
    <div className={styles.activity} role="group" aria-label="Chat activity">
      <svg viewBox={`0 0 ${BUCKETS} 1`} preserveAspectRatio="none" aria-hidden="true">
        <path d={path} />
      </svg>
      {peaks.map(({ bucket, startSec, count }) => {
        const label = `Chat peak at ${clockTime(startSec)}, ${formatPlural(count, "message")}`;
        return (
          <button
            key={bucket}
            type="button"
            className={styles.peak}
            style={{ left: `clamp(12px, ${((bucket + 0.5) / BUCKETS) * 100}%, 100% - 12px)` }}
            aria-label={label}
            title={label}
            onClick={() => onSeek(startSec)}
          />
        );
      })}
    </div>
  );
}
