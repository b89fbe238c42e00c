import { FUTILE_RETRIES, type FailureClass, type Upload } from "#contract/upload.ts";
import { mayPlay } from "#console/lib/playable.ts";

/** Warns if the last segment is older than this (docs/console.md#warnings). */
const STALLED_AFTER_MS = 10 * 60_000;

/** Whether the service accepts a retry, even one that cannot help. */
export function canRetry(upload: Pick<Upload, "status" | "retryCount" | "maxRetries">): boolean {
  return upload.status === "failed" && upload.retryCount < upload.maxRetries;
}

/** Whether a retry of several includes it, as the service counts what can be retried. */
export function canRetryAmongOthers(
  upload: Pick<Upload, "status" | "retryCount" | "maxRetries" | "failureClass">,
): boolean {
  const { failureClass } = upload;
  return canRetry(upload) && (failureClass === null || !FUTILE_RETRIES.includes(failureClass));
}

/** The word of a cause's action, wherever it is offered: for a group, a row, or one upload. */
export function retryWord(failureClass: FailureClass | null): "Retry" | "Retry anyway" {
  return failureClass === null || FAILURE_ADVICE[failureClass].retryHelps
    ? "Retry"
    : "Retry anyway";
}

/** The key of the file that an upload has stored whole; null without one. */
export function storedKeyOf({ status, fileKey }: Pick<Upload, "status" | "fileKey">) {
  return status === "completed" ? fileKey : null;
}

/** A completed upload has a file key until its file is deleted. */
export function isFileDeleted({ status, fileKey }: Pick<Upload, "status" | "fileKey">): boolean {
  return status === "completed" && fileKey === null;
}

export function canCancel(upload: Pick<Upload, "status">): boolean {
  return upload.status === "processing" || upload.status === "pending";
}

/** Whether there is a file that may play. */
export function canWatch({
  kind,
  filename,
  fileKey,
  fileStatus,
}: Pick<Upload, "kind" | "filename" | "fileKey" | "fileStatus">): boolean {
  const isStored = fileKey !== null && (fileStatus === "complete" || fileStatus === "partial");
  return isStored && mayPlay(kind, filename);
}

export function isSegmentOverdue(upload: Upload, nowMs: number): boolean {
  const at = upload.debugInfo.lastSegmentTime;
  return upload.status === "processing" && at !== null && nowMs - Date.parse(at) > STALLED_AFTER_MS;
}

/** Duration of the copy, or its duration so far; null before it starts. */
export function elapsedSeconds(upload: Upload, nowMs: number): number | null {
  if (upload.startedAt === null) return null;
  const endedAt = upload.completedAt ?? upload.failedAt;
  if (endedAt === null && upload.status !== "processing") return null;
  const isRunning = endedAt === null || upload.status === "processing";
  const endMs = isRunning ? nowMs : Date.parse(endedAt);
  return Math.max(0, (endMs - Date.parse(upload.startedAt)) / 1000);
}

type FailureAdvice = Readonly<{ label: string; advice: string; retryHelps: boolean }>;

export const FAILURE_ADVICE: Readonly<Record<FailureClass, FailureAdvice>> = {
  try_later: {
    label: "Source was unavailable",
    advice: "Twitch was unavailable for too long. A retry resumes where it stopped.",
    retryHelps: true,
  },
  gone_at_source: {
    label: "Gone at the source",
    advice: "Twitch no longer has these parts of the video. A retry can't bring them back.",
    retryHelps: false,
  },
  needs_entitlement: {
    label: "Not accessible",
    advice:
      "Twitch shows the video only to some viewers or regions. Ask its owner before retrying.",
    retryHelps: false,
  },
  source_corrupt: {
    label: "Source is damaged",
    advice: "Twitch delivers invalid video data. A retry rarely helps.",
    retryHelps: false,
  },
  storage: {
    label: "Storage refused",
    advice: "Storage failed to keep the data. Check the System screen, then retry.",
    retryHelps: true,
  },
  ours: {
    label: "Internal error",
    advice: "The service itself failed. See the logs on the System screen.",
    retryHelps: true,
  },
};
