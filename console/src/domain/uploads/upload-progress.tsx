import type { Upload } from "#contract/upload.ts";
import { formatCount, formatDuration, formatPercent, formatSpeed } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import type { Tone } from "#console/ui/badge.tsx";
import { classNames } from "#console/ui/class-names.ts";
import layout from "#console/ui/layout.module.css";
import { Progress } from "#console/ui/progress.tsx";
import { UPLOAD_STATUS_TONES } from "#console/ui/upload-status-badge.tsx";
import styles from "./upload-progress.module.css";

const PHASES: Readonly<Record<NonNullable<Upload["phase"]>, string>> = {
  planning: "Planning",
  copying: "Copying",
  waiting: "Waiting for the source",
  proving: "Verifying every byte",
};

export function UploadProgress({ upload }: { readonly upload: Upload }) {
  const isStarting = upload.status === "processing" && upload.phase === "planning";
  const { isLive } = upload.metadata;
  const reason = hasReason(upload) ? upload.errorMessage : null;
  return (
    <div className={classNames(layout.tiny, styles.progress)}>
      <span className={layout.strong}>{isLive ? "Live" : formatPercent(upload.progress)}</span>
      <Progress
        label={`Progress of ${visibleText(upload.filename)}`}
        percent={isStarting || isLive ? null : upload.progress}
        tone={toneOf(upload)}
      />
      {reason === null ? (
        <Pace upload={upload} />
      ) : (
        <span
          className={classNames(layout.faint, layout.anywhere, styles.reason)}
          data-final={upload.status === "failed"}
          title={visibleText(reason)}
        >
          {visibleText(reason)}
        </span>
      )}
    </div>
  );
}

function toneOf({ status, debugInfo }: Upload): Tone {
  if (debugInfo.isStalled) return "warn";
  return status === "processing" ? "accent" : UPLOAD_STATUS_TONES[status];
}

/** Whether its message says why it failed or waits. */
function hasReason({ status, phase }: Upload): boolean {
  return (
    status === "pending" || status === "failed" || (status === "processing" && phase === "waiting")
  );
}

function Pace({ upload }: { readonly upload: Upload }) {
  const { segmentsDownloaded, totalSegments, durationSec, isLive } = upload.metadata;
  if (isLive && durationSec !== null)
    return (
      <span className={classNames(layout.faint, styles.detail)}>
        live, {formatDuration(durationSec)} so far
      </span>
    );
  const pace = paceOf(upload);
  return (
    <span className={classNames(layout.faint, styles.detail)}>
      {totalSegments !== null && (
        <span className={classNames(layout.oneLine, styles.segments)} data-short={pace !== ""}>
          {formatCount(segmentsDownloaded)}/{formatCount(totalSegments)}
          <span> segments</span>
        </span>
      )}
      <span>{pace}</span>
    </span>
  );
}

function paceOf(upload: Upload): string {
  if (upload.status !== "processing") {
    const { durationSec } = upload.metadata;
    return durationSec === null ? "" : `Length ${formatDuration(durationSec)}`;
  }
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
