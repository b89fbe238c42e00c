import { useMemo } from "react";
import { chatTime, type ChatMessage } from "#contract/chat.ts";
import { formatPlural } from "#console/lib/format.ts";
import { BUCKETS, countByBucket, peaksOf } from "./activity.ts";
import styles from "./chat.module.css";

/** How busy the chat was over a video, with a button for each of its peaks. */
export function ChatActivity({
  messages,
  durationSec,
  onSeek,
}: {
  /** Undefined until they are read. */
  readonly messages: readonly ChatMessage[] | undefined;
  readonly durationSec: number;
  readonly onSeek: (sec: number) => void;
}) {
  const { path, peaks } = useMemo(() => {
    if (messages === undefined || durationSec <= 0) return { path: "", peaks: [] };
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
        const label = `Chat peak at ${chatTime(startSec)}, ${formatPlural(count, "message")}`;
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
