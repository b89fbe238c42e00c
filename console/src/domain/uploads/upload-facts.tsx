import { Link } from "@tanstack/react-router";
import { partText } from "#contract/part.ts";
import { clockTime } from "#contract/clock-time.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { PROGRESS_HISTORY_LENGTH } from "#contract/limits.ts";
import type { PublicProfile, TimeRange, Upload } from "#contract/upload.ts";
import { hasBill } from "#console/lib/deployment.ts";
import { useNow } from "#console/lib/clock.ts";
import {
  formatCount,
  formatDateTime,
  formatDay,
  formatDuration,
  formatPercent,
  formatUsd,
} from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import { Copyable, CopyButton } from "#console/ui/copy-button.tsx";
import type { Property } from "#console/ui/details.tsx";
import { Progress } from "#console/ui/progress.tsx";
import { TextButton } from "#console/ui/text-button.tsx";
import { Time } from "#console/ui/time.tsx";
import { ChatStored } from "./chat-stored.tsx";
import { qualityText, shortfallOf } from "./rendition-text.ts";
import styles from "./upload-facts.module.css";
import { isFileDeleted, isSegmentOverdue } from "./upload-rules.ts";

/** What was recorded, and where it comes from. */
export function videoFacts(
  upload: Upload,
  /** Makes the ranges buttons that lead there. */
  onSeek?: (sec: number) => void,
): readonly Property[] {
  const { debugInfo, fileKey, kind, metadata, owner, recordedAt } = upload;
  const { durationSec, mutedRanges, missingRanges } = metadata;
  const shortfall = shortfallOf(metadata);
  const length = durationSec === null ? "Unknown" : formatDuration(durationSec);
  return [
    { name: "Channel", value: owner === null ? upload.userId : <UserLink user={owner} /> },
    { name: "Recorded", value: recordedAt !== null && formatDateTime(new Date(recordedAt)) },
    {
      name: "Length",
      value: (
        <>
          {length}
          {shortfall !== null && <small>{shortfall}</small>}
        </>
      ),
    },
    {
      name: "At the source",
      value: debugInfo.dangerAt !== null && fileKey === null && (
        <MayBeDeleted dangerAt={debugInfo.dangerAt} />
      ),
    },
    { name: "Quality", value: kind !== "manual" && qualityText(upload) },
    { name: "Muted", value: <Ranges ranges={mutedRanges} onSeek={onSeek} /> },
    { name: "Missing", value: <Ranges ranges={missingRanges} onSeek={onSeek} /> },
    {
      name: "Chat",
      value: kind === "twitch" && <ChatStored uploadId={upload.id} chat={upload.chat} />,
    },
    { name: "Part", value: upload.part !== null && partText(upload.part) },
    { name: "Twitch VOD ID", value: <TwitchVod id={debugInfo.twitchVodId} /> },
    {
      name: "Address",
      value: debugInfo.sourceAddress !== undefined && (
        <Copyable text={debugInfo.sourceAddress} label="address" />
      ),
    },
  ];
}

function MayBeDeleted({ dangerAt }: { readonly dangerAt: string }) {
  return `may be deleted from ${formatDay(new Date(dangerAt), useNow())}`;
}

/** How far the copy is, and what it made. */
export function copyFacts(upload: Upload): readonly Property[] {
  const { costUsd, debugInfo, fileKey } = upload;
  const { segmentsDownloaded, totalSegments } = upload.metadata;
  const last = debugInfo.lastSegmentProcessed;
  return [
    { name: "Time started", value: <Time at={debugInfo.timeStarted} absent="Not started" /> },
    { name: "Last segment at", value: <LastSegmentAt upload={upload} /> },
    { name: "Last segment", value: last === null ? "None yet" : `#${formatCount(last)}` },
    {
      name: "Segments",
      value:
        totalSegments !== null &&
        `${formatCount(segmentsDownloaded)} of ${formatCount(totalSegments)}`,
    },
    { name: "Stored", value: storedText(upload) },
    {
      name: "File",
      value: fileKey === null ? fileAbsence(upload) : <FileLink fileKey={fileKey} />,
    },
    { name: "Next attempt", value: <Time at={upload.nextAttemptAt} absent="None planned" /> },
    { name: "Cost", value: hasBill() && (costUsd === null ? "Unknown" : formatUsd(costUsd)) },
    { name: "Stalled", value: debugInfo.isStalled ? "Yes" : "No" },
  ];
}

/** Who started it, when, and the ids that name it elsewhere. */
export function sessionFacts({ debugInfo }: Upload): readonly Property[] {
  const { chatFileId, initiatedBy, internalVodId, sessionInfo } = debugInfo;
  const { createdAt, error, maxRetries, retryCount, startedAt } = sessionInfo;
  return [
    { name: "Internal VOD ID", value: <Copyable text={internalVodId} label="internal VOD ID" /> },
    { name: "Chat file ID", value: <Copyable text={chatFileId} label="chat file ID" /> },
    {
      name: "Initiated by",
      value:
        initiatedBy === null ? (
          "Unknown"
        ) : (
          <>
            <UserLink user={initiatedBy} />@{visibleText(initiatedBy.username)}
            {debugInfo.byRule && <small>by the channel's rule</small>}
          </>
        ),
    },
    { name: "User ID", value: <Copyable text={initiatedBy?.userId ?? null} label="user ID" /> },
    {
      name: "Twitch user ID",
      value: <Copyable text={initiatedBy?.twitchId ?? null} label="Twitch user ID" />,
    },
    { name: "Created", value: <Time at={createdAt} /> },
    { name: "Started", value: <Time at={startedAt} absent="Not started" /> },
    { name: "Retries", value: `${retryCount} of ${maxRetries}` },
    { name: "Error", value: error === null ? "None" : visibleText(error) },
  ];
}

/** The last entries, the newest first. */
export function ProgressHistory({ upload }: { readonly upload: Upload }) {
  const entries = upload.debugInfo.progressHistory.slice(-PROGRESS_HISTORY_LENGTH).toReversed();
  if (entries.length === 0) return <p>Nothing recorded yet.</p>;
  return (
    <ol className={classNames("stack small", styles.history)}>
      {entries.map(({ timestamp, percentage }) => (
        <li key={timestamp}>
          <span>{formatPercent(percentage)}</span>
          <Progress label={`Progress ${timestamp}`} percent={percentage} />
          <Time at={timestamp} />
        </li>
      ))}
    </ol>
  );
}

function UserLink({ user }: { readonly user: PublicProfile }) {
  return (
    <Link to="/users" search={{ search: user.username }}>
      {visibleText(user.displayName)}
    </Link>
  );
}

function TwitchVod({ id }: { readonly id: string | null }) {
  if (id === null) return "None";
  const address = `https://www.twitch.tv/videos/${encodeURIComponent(id)}`;
  return (
    <>
      <a href={address} target="_blank" rel="noreferrer">
        {id}
      </a>
      <CopyButton text={id} label="Copy Twitch VOD ID" />
    </>
  );
}

function FileLink({ fileKey }: { readonly fileKey: string }) {
  return (
    <>
      <Link to="/files" search={{ search: fileKey }}>
        <code>{visibleText(fileKey)}</code>
      </Link>
      <CopyButton text={fileKey} label="Copy file key" />
    </>
  );
}

/** Enough to see where; buttons to all of them are for the player. */
const RANGES_SHOWN = 3;

function Ranges({
  ranges,
  onSeek,
}: {
  readonly ranges: readonly TimeRange[];
  readonly onSeek: ((sec: number) => void) | undefined;
}) {
  if (ranges.length === 0) return "None";
  if (onSeek !== undefined)
    return ranges.map((range) => (
      <TextButton key={range.startSec} className="nowrap" onClick={() => onSeek(range.startSec)}>
        {rangeText(range)}
      </TextButton>
    ));
  const shown = ranges.slice(0, RANGES_SHOWN).map(rangeText).join(", ");
  const rest = ranges.length - RANGES_SHOWN;
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

function rangeText({ startSec, endSec }: TimeRange): string {
  return `${clockTime(startSec)} to ${clockTime(endSec)}`;
}

function LastSegmentAt({ upload }: { readonly upload: Upload }) {
  return (
    <span className={isSegmentOverdue(upload, useNow(10_000)) ? styles.overdue : undefined}>
      <Time at={upload.debugInfo.lastSegmentTime} absent="None yet" />
    </span>
  );
}

function storedText({ processedSize, originalSize, originalSizeIsEstimate }: Upload): string {
  const stored = formatBytes(processedSize);
  if (originalSize === null) return stored;
  return `${stored} of ${originalSizeIsEstimate ? "about " : ""}${formatBytes(originalSize)}`;
}

function fileAbsence(upload: Upload): string {
  if (isFileDeleted(upload)) return "Deleted";
  return upload.status === "pending" || upload.status === "processing" ? "None yet" : "None";
}
