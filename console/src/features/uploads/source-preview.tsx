import { Link } from "@tanstack/react-router";
import type { Quality } from "#contract/quality.ts";
import type { QualityOption, SourcePreview as Preview } from "#contract/source-preview.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { QUALITY_LABELS, withheldText } from "#console/domain/uploads/rendition-text.ts";
import { costFigures } from "#console/lib/deployment.ts";
import { formatDuration } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { Banner } from "#console/ui/banner.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Figures } from "#console/ui/figures.tsx";
import { Select } from "#console/ui/select.tsx";
import { Thumbnail } from "#console/ui/thumbnail.tsx";
import { Time } from "#console/ui/time.tsx";
import styles from "./new-archive-dialog.module.css";
import { PartFields, previewOfPart, readPart, type TypedPart } from "./part-fields.tsx";

/** What an archive of one video would copy. */
export function SourcePreview({
  preview,
  quality,
  onQuality,
  typedPart,
  onTypePart,
}: {
  readonly preview: Preview;
  readonly quality: Quality;
  readonly onQuality: (quality: Quality) => void;
  readonly typedPart: TypedPart;
  readonly onTypePart: (typed: TypedPart) => void;
}) {
  const part = readPart(typedPart, preview);
  const estimated = typeof part === "object" ? previewOfPart(preview, part) : preview;
  const { owner, qualities, withheldRendition } = preview;
  return (
    <section className={classNames("stack gap3 box", styles.preview)} aria-label="Preview">
      {preview.thumbnailUrl !== null && (
        <Thumbnail uploadId={null}>
          <img src={preview.thumbnailUrl} alt="" />
        </Thumbnail>
      )}
      <h3 className="anywhere">{visibleText(preview.title)}</h3>
      <p className="row small soft">
        {owner !== null && (
          <Avatar name={owner.displayName} imageUrl={owner.profileImageUrl} size={22} />
        )}
        <span>
          {visibleText(owner?.displayName ?? preview.sourceHost ?? "")} ·{" "}
          {preview.channelCategory !== null && `${visibleText(preview.channelCategory)} · `}
          <Time at={preview.createdAt} />
        </span>
      </p>
      {preview.restriction !== undefined && (
        <Banner tone="warn">{visibleText(preview.restriction)} An archive of it would fail.</Banner>
      )}
      {withheldRendition !== null && (
        <Banner tone="info">{withheldText(withheldRendition)}.</Banner>
      )}
      {qualities.length > 1 && (
        <Select
          label="Quality"
          value={quality}
          options={qualities.map((each) => ({ value: each.quality, label: optionText(each) }))}
          onChange={onQuality}
        />
      )}
      {preview.isRecording && (
        <Banner tone="info">
          The stream is still running: the archive follows it to{" "}
          {part === undefined ? "its end" : "the end of the part"}.
        </Banner>
      )}
      {preview.vodId !== null && (
        <PartFields preview={preview} typed={typedPart} onType={onTypePart} />
      )}
      <Estimates previews={[estimated]} quality={quality} />
    </section>
  );
}

/** Of the best quality if the source does not offer the chosen one. */
export function estimateOf(preview: Preview, quality: Quality) {
  return preview.qualities.find((each) => each.quality === quality) ?? preview;
}

/** What several videos come to; of unknown lengths nothing. */
export function Estimates({
  previews,
  quality,
}: {
  readonly previews: readonly Preview[];
  readonly quality: Quality;
}) {
  const sum = (valueOf: (preview: Preview) => number | null) =>
    previews.reduce((total, preview) => total + (valueOf(preview) ?? 0), 0);
  const usd = (name: "estimatedCostUsd" | "estimatedMonthlyStorageUsd") =>
    sum((each) => estimateOf(each, quality)[name]);
  const lengthSec = sum(({ durationSec }) => durationSec);
  const sizeBytes = sum((each) => estimateOf(each, quality).estimatedSizeBytes);
  // Buckets have no free space to name.
  const roomBytes = previews[0]?.roomBytes ?? null;
  return (
    <Figures
      figures={[
        ...(lengthSec === 0 ? [] : [{ name: "Length", value: formatDuration(lengthSec) }]),
        { name: "Size (estimate)", value: formatBytes(sizeBytes) },
        ...(roomBytes === null
          ? []
          : [{ name: "Free space", value: formatBytes(roomBytes), note: <MakeRoomLink /> }]),
        ...costFigures({
          "Copying (estimate)": usd("estimatedCostUsd"),
          "Storage per month (estimate)": usd("estimatedMonthlyStorageUsd"),
        }),
      ]}
    />
  );
}

function MakeRoomLink() {
  return (
    <Link to="/files" search={{ room: "make" }}>
      Make room
    </Link>
  );
}

/** E.g. "At most 720p (720p60)". */
function optionText({ quality, rendition }: QualityOption): string {
  const label = QUALITY_LABELS[quality];
  return rendition === null || quality === "audio" ? label : `${label} (${visibleText(rendition)})`;
}
