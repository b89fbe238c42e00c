import type { Upload } from "#contract/upload.ts";
import { formatCount, formatDuration, formatPercent, formatSpeed } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import type { Tone } from "#console/ui/badge.tsx";
import { Progress } from "#console/ui/progress.tsx";
import styles from "./upload-progress.module.css";

const TONES: Readonly<Record<Upload["status"], Tone>> = {
  pending: "neutral",
  processing: "accent",
  completed: "good",
  failed: "bad",
  cancelled: "neutral",
};

const PHASES: Readonly<Record<NonNullable<Upload["phase"]>, string>> = {
  planning: "Planning",
  copying: "Copying",
  waiting: "Waiting for the source",
  proving: "Verifying every byte",
  chat: "Fetching chat",
};

export function UploadProgress({ upload }: { readonly upload: Upload }) {
  const isStarting = upload.status === "processing" && upload.phase === "planning";
  const reason = isWaiting(upload) ? upload.errorMessage : null;
  return (
    <div className={styles.progress}>
      <div className={styles.line}>
        <span className={styles.percent}>{formatPercent(upload.progress)}</span>
        <Segments {...upload.metadata} />
      </div>
      <Progress
        label={`Progress of ${visibleText(upload.filename)}`}
        percent={isStarting ? null : upload.progress}
        tone={upload.debugInfo.isStalled ? "warn" : TONES[upload.status]}
      />
      {reason === null ? (
        <span className={styles.detail + " " + styles.line}>{paceOf(upload)}</span>
      ) : (
        <span className={styles.reason}>{visibleText(reason)}</span>
      )}
    </div>
  );
}

function isWaiting({ status, phase }: Upload): boolean {
  return status === "pending" || (status === "processing" && phase === "waiting");
}

function Segments({ segmentsDownloaded, totalSegments }: Upload["metadata"]) {
  if (totalSegments === null) return null;
  return (
    <span className={styles.detail}>
      {formatCount(segmentsDownloaded)}/{formatCount(totalSegments)}
      <span className={styles.unit}> segments</span>
    </span>
  );
}

function paceOf(upload: Upload): string {
  if (upload.status !== "processing") return "";
  const parts: string[] = [];
  if (upload.phase === "waiting" && upload.kind === "manual")
    parts.push("Waiting for the uploader");
  else if (upload.phase !== null && upload.phase !== "copying") parts.push(PHASES[upload.phase]);
  if (upload.uploadSpeed !== null) parts.push(formatSpeed(upload.uploadSpeed));
  if (upload.estimatedTimeRemaining !== null) {
    parts.push(`${formatDuration(upload.estimatedTimeRemaining)} left`);
  }
  return parts.join(" · ");
}
