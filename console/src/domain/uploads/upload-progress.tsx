import type { Upload } from "#contract/upload.ts";
import { formatCount, formatDuration, formatPercent, formatSpeed } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import { Progress } from "#console/ui/progress.tsx";
import styles from "./upload-progress.module.css";

const PHASES: Readonly<Record<NonNullable<Upload["phase"]>, string>> = {
  planning: "Planning",
  copying: "Copying",
  waiting: "Waiting for the source",
  proving: "Verifying every byte",
};

/** A bar only while something runs. */
export function UploadProgress({ upload }: { readonly upload: Upload }) {
  if (upload.status !== "processing") return <Ended upload={upload} />;
  const isStarting = upload.phase === "planning";
  const { isLive } = upload.metadata;
  const reason = upload.phase === "waiting" ? upload.errorMessage : null;
  return (
    <div className={classNames("tiny", styles.progress)}>
      <span className="strong">{isLive ? "Live" : formatPercent(upload.progress)}</span>
      <Progress
        label={`Progress of ${visibleText(upload.filename)}`}
        percent={isStarting || isLive ? null : upload.progress}
        tone={upload.debugInfo.isStalled ? "warn" : "accent"}
      />
      {reason === null ? (
        <Pace upload={upload} />
      ) : (
        <span className={classNames("faint oneLine", styles.reason)} title={visibleText(reason)}>
          {visibleText(reason)}
        </span>
      )}
    </div>
  );
}

/** How far it came, and why it waits or failed. */
function Ended({ upload: { status, progress, errorMessage } }: { readonly upload: Upload }) {
  const hasReason = status === "pending" || status === "failed";
  const reason = hasReason && errorMessage !== null ? visibleText(errorMessage) : undefined;
  return (
    <div className="tiny faint oneLine" title={reason}>
      {reason === undefined ? formatPercent(progress) : `${formatPercent(progress)} · ${reason}`}
    </div>
  );
}

function Pace({ upload }: { readonly upload: Upload }) {
  const { segmentsDownloaded, totalSegments, durationSec, isLive } = upload.metadata;
  if (isLive && durationSec !== null)
    return (
      <span className={classNames("faint", styles.detail)}>
        live, {formatDuration(durationSec)} so far
      </span>
    );
  const pace = paceOf(upload);
  return (
    <span className={classNames("faint", styles.detail)}>
      {totalSegments !== null && (
        <span className={classNames("oneLine", styles.segments)} data-short={pace !== ""}>
          {formatCount(segmentsDownloaded)}/{formatCount(totalSegments)}
          <span> segments</span>
        </span>
      )}
      <span>{pace}</span>
    </span>
  );
}

function paceOf(upload: Upload): string {
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
