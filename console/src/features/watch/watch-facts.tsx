import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import type { TimeRange, Upload } from "#contract/upload.ts";
import { FileStatusBadge } from "#console/domain/files/file-badges.tsx";
import { messageOf } from "#console/lib/api-error.ts";
import {
  formatCount,
  formatDateTime,
  formatDuration,
  formatPlural,
  formatUsd,
} from "#console/lib/format.ts";
import { ChatStored } from "#console/domain/uploads/chat-stored.tsx";
import { shortfallOf } from "#console/domain/uploads/rendition-text.ts";
import { qualityText } from "#console/domain/uploads/quality-text.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { Detail, Details } from "#console/ui/details.tsx";
import { TextButton } from "#console/ui/text-button.tsx";
import { Time } from "#console/ui/time.tsx";
import { fileProofQuery } from "./watch-queries.ts";
import { formatClock } from "./watch-time.ts";
import styles from "./watch.module.css";

/** Where the video comes from, and what proves that it is the source's. */
export function WatchFacts({
  upload,
  file,
  onSeek,
}: {
  readonly upload: Upload;
  readonly file: StoredFile;
  readonly onSeek: (sec: number) => void;
}) {
  const { owner, metadata, debugInfo, completedAt, costUsd } = upload;
  const { segmentsDownloaded, totalSegments, durationSec } = metadata;
  const shortfall = shortfallOf(metadata);
  return (
    <Details>
      <Detail name="Source">
        <Source upload={upload} />
      </Detail>
      <Detail name="Channel">
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
      <Detail name="Archived">
        <Time at={completedAt ?? debugInfo.timeStarted} />
      </Detail>
      {durationSec !== null && (
        <Detail name="Length">
          {formatDuration(durationSec)}
          {shortfall !== null && <small>{shortfall}</small>}
        </Detail>
      )}
      {upload.kind !== "manual" && <Detail name="Quality">{qualityText(upload)}</Detail>}
      {upload.kind === "twitch" && (
        <Detail name="Chat">
          <ChatStored uploadId={upload.id} chat={upload.chat} />
        </Detail>
      )}
      <Format file={file} />
      {totalSegments !== null && (
        <Detail name="Segments">
          {formatCount(segmentsDownloaded)} of {formatCount(totalSegments)}
        </Detail>
      )}
      <Detail name="Muted">
        <Ranges ranges={metadata.mutedRanges} onSeek={onSeek} />
      </Detail>
      <Detail name="Missing">
        <Ranges ranges={metadata.missingRanges} onSeek={onSeek} />
      </Detail>
      <Detail name="Proved">
        <Time at={completedAt} absent="Not proved" />
      </Detail>
      <Proof file={file} />
      <Detail name="Cost">{costUsd === null ? "Unknown" : formatUsd(costUsd)}</Detail>
    </Details>
  );
}

function Source({ upload: { debugInfo, kind } }: { readonly upload: Upload }) {
  const { twitchVodId, sourceAddress } = debugInfo;
  if (twitchVodId !== null)
    return (
      <a
        href={`https://www.twitch.tv/videos/${encodeURIComponent(twitchVodId)}`}
        target="_blank"
        rel="noreferrer"
      >
        Twitch VOD {twitchVodId}
      </a>
    );
  if (sourceAddress !== undefined) return visibleText(sourceAddress);
  return kind === "manual" ? "Manual upload" : "Unknown";
}

function Format({ file }: { readonly file: StoredFile }) {
  const { rendition, resolution, codecs } = file.metadata;
  const format = [rendition, resolution, codecs].filter((one) => typeof one === "string");
  return (
    <>
      <Detail name="Size">{formatBytes(file.size)}</Detail>
      {format.length > 0 && <Detail name="Format">{visibleText(format.join(" · "))}</Detail>}
      <Detail name="File">
        <FileStatusBadge status={file.status} />
        <Link to="/files" search={{ search: file.key }}>
          <code>{visibleText(file.key)}</code>
        </Link>
        <CopyButton text={file.key} label="Copy file key" />
      </Detail>
    </>
  );
}

function Ranges({
  ranges,
  onSeek,
}: {
  readonly ranges: readonly TimeRange[];
  readonly onSeek: (sec: number) => void;
}) {
  if (ranges.length === 0) return "None";
  return ranges.map(({ startSec, endSec }) => (
    <TextButton key={startSec} className={styles.range} onClick={() => onSeek(startSec)}>
      {formatClock(startSec)} to {formatClock(endSec)}
    </TextButton>
  ));
}

/** The digests of the file's parts, and when the scrub last compared the bytes with them. */
function Proof({ file }: { readonly file: StoredFile }) {
  const { data, error } = useQuery(fileProofQuery(file.key));
  const { tag } = file.metadata;
  return (
    <>
      <Detail name="Last scrub">
        <Time at={file.verifiedAt} absent="Not yet" />
      </Detail>
      <Detail name="Digests">
        {data === undefined ? (
          ((error && messageOf(error)) ?? "Loading...")
        ) : data.partSha256.length === 0 ? (
          "None"
        ) : (
          <>
            SHA-256 of {formatPlural(data.partSha256.length, "part")}
            {data.partSha256.length > 1 && ` of ${formatBytes(data.partSizeBytes)}`}
            <CopyButton text={data.partSha256.join("\n")} label="Copy digests" />
          </>
        )}
      </Detail>
      {typeof tag === "string" && (
        <Detail name="Store's tag">
          <code>{visibleText(tag)}</code>
          <CopyButton text={tag} label="Copy tag" />
        </Detail>
      )}
    </>
  );
}
