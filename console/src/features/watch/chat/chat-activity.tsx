import { useMemo } from "react";
import { chatTime, type ChatMessage } from "#contract/chat.ts";
import { formatPlural } from "#console/lib/format.ts";
import { BUCKETS, countByBucket, peaksOf } from "./activity.ts";
import { useChatLog } from "./chat-log.ts";
import styles from "./chat.module.css";

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
