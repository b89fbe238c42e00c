import { Link } from "@tanstack/react-router";
import type { Upload } from "#contract/upload.ts";
import { renditionText, shortfallOf } from "#console/domain/uploads/rendition-text.ts";
import { canWatch } from "#console/domain/uploads/upload-rules.ts";
import { formatDate } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import { Thumbnail } from "#console/ui/thumbnail.tsx";
import styles from "./uploads-table.module.css";

/**
 * The picture, which leads to the video, and the stream's title, which opens the upload over the
 * list, with owner and filename below.
 */
export function UploadName({ upload }: { readonly upload: Upload }) {
  const { streamTitle } = upload.metadata;
  const title = visibleText(streamTitle ?? upload.filename);
  const { withheldRendition } = upload.metadata;
  const shortfall = shortfallOf(upload.metadata);
  const notes = [
    shortfall,
    withheldRendition === null ? null : renditionText(upload.metadata),
    upload.recordedAt === null ? null : formatDate(new Date(upload.recordedAt)),
    visibleText(
      `${upload.owner === null ? "" : `${upload.owner.displayName} · `}${upload.filename}`,
    ),
  ];
  return (
    <div className={classNames("beside", styles.file)}>
      <WatchPicture upload={upload} label={`Watch ${title}`} className={styles.picture} />
      <span className={classNames("oneLine strong", styles.title)}>
        <Link
          to="."
          search={(before: object) => ({ ...before, upload: upload.id, act: undefined })}
          resetScroll={false}
          data-shortcut="row"
        >
          {title}
        </Link>
      </span>
      <span className="note oneLine">{notes.filter(Boolean).join(" · ")}</span>
    </div>
  );
}

/** The picture, which leads to the video if that can be watched; a button or menu does so as well. */
export function WatchPicture({
  upload,
  label,
  className,
}: {
  readonly upload: Upload;
  readonly label: string;
  readonly className: string | undefined;
}) {
  const picture = <Thumbnail uploadId={upload.hasThumbnail ? upload.id : null} />;
  if (!canWatch(upload)) return <span className={className}>{picture}</span>;
  return (
    <Link
      to="/watch/$uploadId"
      params={{ uploadId: upload.id }}
      className={className}
      aria-label={label}
      tabIndex={-1}
    >
      {picture}
    </Link>
  );
}
