import { Link } from "@tanstack/react-router";
import { QUALITIES, type Quality } from "#contract/quality.ts";
import type { SourcePreview } from "#contract/source-preview.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { QUALITY_LABELS } from "#console/domain/uploads/rendition-text.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatDate, formatDuration } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { endCellClassName, Table } from "#console/ui/list/table.tsx";
import { Select } from "#console/ui/select.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import { Thumbnail } from "#console/ui/thumbnail.tsx";
import { UPLOAD_STATUS_LABELS } from "#console/ui/upload-status-badge.tsx";
import { ChannelLine } from "./channel-line.tsx";
import type { FoundVideo } from "./found-videos.ts";
import { estimateOf, Estimates } from "./source-preview.tsx";
import { STARTED, type Outcomes } from "./start-archives.ts";

const COLUMNS = [
  { id: "chosen", header: <span className="visuallyHidden">Chosen</span>, width: "3rem" },
  { id: "video", header: "Video" },
  { id: "length", header: "Length", align: "end", width: "6rem" },
  { id: "size", header: "Size (estimate)", align: "end", width: "8rem" },
] as const;

/** The videos of several lines, to choose from; afterwards the outcome of each. */
export function FoundVideosTable({
  found,
  quality,
  outcomes,
  isFixed,
  isChosen,
  onChoose,
}: {
  readonly found: readonly FoundVideo[];
  readonly quality: Quality;
  readonly outcomes: Outcomes;
  /** The run has begun. */
  readonly isFixed: boolean;
  readonly isChosen: (video: FoundVideo) => boolean;
  readonly onChoose: (line: string, isChosen: boolean) => void;
}) {
  return (
    // Within a block, which no dialog makes lower than its rows.
    <div className="framed">
      <Table caption="Found videos" columns={COLUMNS} stacked>
        {found.map((video) => {
          const { line, preview, isRepeated } = video;
          const title = visibleText(preview?.title ?? line);
          return (
            <tr key={line} data-selected={isChosen(video)}>
              <td>
                <Checkbox
                  label={`Archive ${title}`}
                  labelHidden
                  checked={isChosen(video)}
                  disabled={isFixed || preview === undefined || isRepeated}
                  onChange={(next) => onChoose(line, next)}
                />
              </td>
              <td data-phone="title">
                <Video video={video} outcome={outcomes.get(line)} />
              </td>
              <td className={endCellClassName} data-label={preview && "Length"} data-phone="grow">
                {preview !== undefined &&
                  (preview.durationSec === null ? "Unknown" : formatDuration(preview.durationSec))}
              </td>
              <td
                className={endCellClassName}
                data-label={preview && "Size (estimate)"}
                data-phone="grow"
              >
                {preview !== undefined &&
                  formatBytes(estimateOf(preview, quality).estimatedSizeBytes)}
              </td>
            </tr>
          );
        })}
      </Table>
    </div>
  );
}

function Video({
  video,
  outcome,
}: {
  readonly video: FoundVideo;
  readonly outcome: string | undefined;
}) {
  const { line, preview } = video;
  return (
    <div className="row">
      <Thumbnail uploadId={null}>
        {typeof preview?.thumbnailUrl === "string" && <img src={preview.thumbnailUrl} alt="" />}
      </Thumbnail>
      <span className="stack gap0 anywhere">
        <span className="strong">{visibleText(preview?.title ?? line)}</span>
        {preview !== undefined && (
          <span className="note">
            {visibleText(preview.owner?.displayName ?? preview.sourceHost ?? "")} ·{" "}
            {formatDate(new Date(preview.createdAt))}
            {preview.isRecording && " · still running"}
          </span>
        )}
        <Remark video={video} outcome={outcome} />
      </span>
    </div>
  );
}

/** What the chosen videos come to, and one quality for all of them. */
export function ChosenFigures({
  previews,
  quality,
  onQuality,
}: {
  readonly previews: readonly SourcePreview[];
  readonly quality: Quality;
  readonly onQuality: (quality: Quality) => void;
}) {
  const offered = new Set(
    previews.flatMap(({ qualities }) => qualities.map((each) => each.quality)),
  );
  return (
    <>
      <Estimates previews={previews} quality={quality} />
      {offered.size > 1 && (
        <div className="row">
          <Select
            label="Quality"
            value={quality}
            options={QUALITIES.filter((each) => offered.has(each)).map((value) => ({
              value,
              label: QUALITY_LABELS[value],
            }))}
            onChange={onQuality}
          />
        </div>
      )}
    </>
  );
}

function Remark({
  video: { channel, preview, error, isRepeated },
  outcome,
}: {
  readonly video: FoundVideo;
  readonly outcome: string | undefined;
}) {
  if (outcome !== undefined)
    return <span className={outcome === STARTED ? "good" : "bad"}>{outcome}</span>;
  if (error !== null) return <span className="bad">{messageOf(error)}</span>;
  if (channel !== null)
    return (
      <span className="note">
        <ChannelLine login={channel} />
      </span>
    );
  if (preview === undefined) return <Skeleton width="12ch" />;
  if (isRepeated) return <span className="warn">Listed above already</span>;
  const { existingUpload, restriction } = preview;
  return (
    <>
      {existingUpload !== null && (
        <span className="warn">
          <Link to="/uploads" search={{ upload: existingUpload.id }} target="_blank">
            Archived before: {UPLOAD_STATUS_LABELS[existingUpload.status].toLowerCase()}
          </Link>
        </span>
      )}
      {restriction !== undefined && (
        <span className="warn">{visibleText(restriction)} An archive of it would fail.</span>
      )}
    </>
  );
}
