import { Link } from "@tanstack/react-router";
import { CircleAlert, Copy, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { PROGRESS_HISTORY_LENGTH } from "#contract/limits.ts";
import type { TimeRange, Upload } from "#contract/upload.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import {
  FAILURE_ADVICE,
  isFileDeleted,
  isSegmentOverdue,
} from "#console/domain/uploads/upload-rules.ts";
import { useNow } from "#console/lib/clock.ts";
import {
  formatCount,
  formatDateTime,
  formatDuration,
  formatPercent,
  formatUsd,
} from "#console/lib/format.ts";
import { ChatStored } from "#console/domain/uploads/chat-stored.tsx";
import { shortfallOf } from "#console/domain/uploads/rendition-text.ts";
import { qualityText } from "#console/domain/uploads/quality-text.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { Button } from "#console/ui/button.tsx";
import { copyText } from "#console/ui/copy-text.ts";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { Detail, Details } from "#console/ui/details.tsx";
import { Progress } from "#console/ui/progress.tsx";
import { Time } from "#console/ui/time.tsx";
import { toast } from "#console/ui/toast-store.ts";
import styles from "./upload-debug-panel.module.css";

/** All details of one upload. */
export function UploadDebugPanel({ upload }: { readonly upload: Upload }) {
  const { debugInfo } = upload;
  return (
    <div className={styles.panel}>
      {debugInfo.isStalled && (
        <p className={styles.stalled}>
          <TriangleAlert aria-hidden="true" />
          <span>
            <strong>STALLED</strong>: No progress for over 10 minutes.
            {debugInfo.stallReason !== null && ` ${visibleText(debugInfo.stallReason)}`}
          </span>
        </p>
      )}
      {upload.errorMessage !== null && (
        <FailureDetails upload={upload} message={upload.errorMessage} />
      )}
      <div className={styles.groups}>
        <SourceFacts upload={upload} />
        <CopyFacts upload={upload} />
        <SessionFacts upload={upload} />
        <ProgressHistory upload={upload} />
      </div>
      <div className={styles.actions}>
        <Button
          icon={<Copy />}
          onClick={() =>
            void copyText(JSON.stringify(upload, null, 2), () => toast.success("Copied"))
          }
        >
          Copy as JSON
        </Button>
      </div>
    </div>
  );
}

function FailureDetails({
  upload,
  message,
}: {
  readonly upload: Upload;
  readonly message: string;
}) {
  // A waiting upload continues by itself and needs no advice.
  const advice =
    upload.failureClass === null || upload.status !== "failed"
      ? null
      : FAILURE_ADVICE[upload.failureClass];
  return (
    <p className={styles.failure}>
      <CircleAlert aria-hidden="true" />
      <span>
        {visibleText(message)}
        {advice !== null && (
          <>
            <br />
            <strong>{advice.label}.</strong> {advice.advice}
          </>
        )}
      </span>
    </p>
  );
}

function Facts({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h2 className={styles.heading}>{title}</h2>
      <Details>{children}</Details>
    </section>
  );
}

function CopyableId({ id, label }: { readonly id: string | null; readonly label: string }) {
  if (id === null) return "None";
  return (
    <>
      <code>{id}</code>
      <CopyButton text={id} label={`Copy ${label}`} />
    </>
  );
}

function SourceFacts({ upload }: { readonly upload: Upload }) {
  const { debugInfo, metadata, owner } = upload;
  const shortfall = shortfallOf(metadata);
  return (
    <Facts title="Source">
      <Detail name="Upload ID">
        <CopyableId id={upload.id} label="upload ID" />
      </Detail>
      <Detail name="Internal VOD ID">
        <CopyableId id={debugInfo.internalVodId} label="internal VOD ID" />
      </Detail>
      <Detail name="Twitch VOD ID">
        {debugInfo.twitchVodId === null ? (
          "None"
        ) : (
          <>
            <a
              href={`https://www.twitch.tv/videos/${encodeURIComponent(debugInfo.twitchVodId)}`}
              target="_blank"
              rel="noreferrer"
            >
              {debugInfo.twitchVodId}
            </a>
            <CopyButton text={debugInfo.twitchVodId} label="Copy Twitch VOD ID" />
          </>
        )}
      </Detail>
      {debugInfo.sourceAddress !== undefined && (
        <Detail name="Address">
          {visibleText(debugInfo.sourceAddress)}
          <CopyButton text={debugInfo.sourceAddress} label="Copy address" />
        </Detail>
      )}
      <Detail name="Owner">
        {owner === null ? (
          upload.userId
        ) : (
          <Link to="/users" search={{ search: owner.username }}>
            {visibleText(owner.displayName)}
          </Link>
        )}
      </Detail>
      {upload.recordedAt !== null && (
        <Detail name="Recorded">{formatDateTime(new Date(upload.recordedAt))}</Detail>
      )}
      <Detail name="Length">
        {metadata.durationSec === null ? "Unknown" : formatDuration(metadata.durationSec)}
        {shortfall !== null && <small>{shortfall}</small>}
      </Detail>
      {upload.kind === "manual" ? null : <Detail name="Quality">{qualityText(upload)}</Detail>}
      <Detail name="Muted">{rangesText(metadata.mutedRanges)}</Detail>
      <Detail name="Missing">{rangesText(metadata.missingRanges)}</Detail>
      {upload.kind === "twitch" && (
        <Detail name="Chat">
          <ChatStored uploadId={upload.id} chat={upload.chat} />
        </Detail>
      )}
      <Detail name="Chat file ID">
        <CopyableId id={debugInfo.chatFileId} label="chat file ID" />
      </Detail>
    </Facts>
  );
}

function rangesText(ranges: readonly TimeRange[]): string {
  if (ranges.length === 0) return "None";
  const text = ranges
    .slice(0, 3)
    .map(({ startSec, endSec }) => `${formatDuration(startSec)} to ${formatDuration(endSec)}`);
  const rest = ranges.length - text.length;
  return rest > 0 ? `${text.join(", ")} and ${rest} more` : text.join(", ");
}

function CopyFacts({ upload }: { readonly upload: Upload }) {
  const { debugInfo } = upload;
  const overdue = isSegmentOverdue(upload, useNow(10_000));
  return (
    <Facts title="Copy">
      <Detail name="Time started">
        <Time at={debugInfo.timeStarted} absent="Not started" />
      </Detail>
      <Detail name="Last segment at">
        <span className={overdue ? styles.overdue : undefined}>
          <Time at={debugInfo.lastSegmentTime} absent="None yet" />
        </span>
      </Detail>
      <Detail name="Last segment">
        {debugInfo.lastSegmentProcessed === null
          ? "None yet"
          : `#${formatCount(debugInfo.lastSegmentProcessed)}`}
      </Detail>
      <Detail name="Stored">
        {formatBytes(upload.processedSize)}
        {upload.originalSize !== null &&
          ` of ${upload.originalSizeIsEstimate ? "about " : ""}${formatBytes(upload.originalSize)}`}
      </Detail>
      <Detail name="File">
        {upload.fileKey === null ? (
          fileAbsence(upload)
        ) : (
          <>
            <Link to="/files" search={{ search: upload.fileKey }}>
              <code>{visibleText(upload.fileKey)}</code>
            </Link>
            <CopyButton text={upload.fileKey} label="Copy file key" />
          </>
        )}
      </Detail>
      <Detail name="Next attempt">
        <Time at={upload.nextAttemptAt} absent="None planned" />
      </Detail>
      <Detail name="Cost so far">
        {upload.costUsd === null ? "Unknown" : formatUsd(upload.costUsd)}
      </Detail>
      <Detail name="Stalled">{debugInfo.isStalled ? "Yes" : "No"}</Detail>
    </Facts>
  );
}

function fileAbsence(upload: Upload): string {
  if (isFileDeleted(upload)) return "Deleted";
  return upload.status === "pending" || upload.status === "processing" ? "None yet" : "None";
}

function SessionFacts({ upload }: { readonly upload: Upload }) {
  const { sessionInfo, initiatedBy } = upload.debugInfo;
  return (
    <Facts title="Session">
      <Detail name="Initiated by">
        {initiatedBy === null ? (
          "Unknown"
        ) : (
          <span className={styles.person}>
            <Avatar
              name={initiatedBy.displayName}
              imageUrl={initiatedBy.profileImageUrl}
              size={20}
            />
            <Link to="/users" search={{ search: initiatedBy.username }}>
              {visibleText(initiatedBy.displayName)}
            </Link>
            @{visibleText(initiatedBy.username)}
          </span>
        )}
      </Detail>
      <Detail name="User ID">
        <CopyableId id={initiatedBy?.userId ?? null} label="user ID" />
      </Detail>
      <Detail name="Twitch user ID">
        <CopyableId id={initiatedBy?.twitchId ?? null} label="Twitch user ID" />
      </Detail>
      <Detail name="Created">
        <Time at={sessionInfo.createdAt} />
      </Detail>
      <Detail name="Started">
        <Time at={sessionInfo.startedAt} absent="Not started" />
      </Detail>
      <Detail name="Retries">
        {sessionInfo.retryCount} of {sessionInfo.maxRetries}
      </Detail>
      <Detail name="Error">
        {sessionInfo.error === null ? "None" : visibleText(sessionInfo.error)}
      </Detail>
    </Facts>
  );
}

function ProgressHistory({ upload }: { readonly upload: Upload }) {
  const entries = upload.debugInfo.progressHistory.slice(-PROGRESS_HISTORY_LENGTH).toReversed();
  return (
    <section>
      <h2 className={styles.heading}>Progress history</h2>
      {entries.length === 0 ? (
        <p>Nothing recorded yet.</p>
      ) : (
        <ol className={styles.history}>
          {entries.map((entry) => (
            <li key={entry.timestamp}>
              <span>{formatPercent(entry.percentage)}</span>
              <Progress label={`Progress ${entry.timestamp}`} percent={entry.percentage} />
              <Time at={entry.timestamp} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
