import { useEffect, useState } from "react";
import type { StoredFile } from "#contract/files.ts";
import { FileStatusBadge, FileTypeIcon } from "#console/domain/files/file-badges.tsx";
import { FileMarks } from "#console/domain/files/file-marks.tsx";
import { fileTitleOf } from "#console/domain/files/file-words.ts";
import { StoryboardFrame } from "#console/domain/files/storyboard-frame.tsx";
import { rememberedPosition } from "#console/domain/files/watch-positions.ts";
import { formatDate, formatDuration } from "#console/lib/format.ts";
import type { List } from "#console/lib/use-list.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { classNames } from "#console/ui/class-names.ts";
import layout from "#console/ui/layout.module.css";
import { RowMenu } from "#console/ui/list/row-menu.tsx";
import type { SelectedRows } from "#console/ui/list/use-selection.ts";
import { Skeleton } from "#console/ui/skeleton.tsx";
import { Thumbnail } from "#console/ui/thumbnail.tsx";
import { FileLink, useFileActions, type FileHandlers } from "./file-columns.tsx";
import styles from "./file-gallery.module.css";

const SKELETONS = 12;

const textClassName = classNames(layout.stack, layout.gap0, styles.text);

/** The files as pictures, with the selection and the actions of the list. */
export function FileGallery({
  list: { rows, query },
  selected,
  handlers,
}: {
  readonly list: List<StoredFile>;
  readonly selected: SelectedRows<StoredFile>;
  readonly handlers: FileHandlers;
}) {
  return (
    <ul
      className={styles.gallery}
      aria-label="Stored files"
      aria-busy={rows === undefined || query.isPlaceholderData}
    >
      {rows === undefined
        ? Array.from({ length: SKELETONS }, (_card, index) => (
            <li key={index} className={layout.stack}>
              <span className={styles.picture} />
              <span className={textClassName}>
                <Skeleton width="80%" />
                <span className={layout.note}>
                  <Skeleton width="50%" />
                </span>
              </span>
            </li>
          ))
        : rows.map((file) => (
            <FileCard key={file.key} file={file} selected={selected} handlers={handlers} />
          ))}
    </ul>
  );
}

function FileCard({
  file,
  selected,
  handlers,
}: {
  readonly file: StoredFile;
  readonly selected: SelectedRows<StoredFile>;
  readonly handlers: FileHandlers;
}) {
  const actions = useFileActions(file, handlers);
  const title = fileTitleOf(file);
  const { uploadId, durationSec } = file;
  const [preview, setPreview] = useState<{ share: number; widthPx: number } | null>(null);
  const previews = useLater(preview !== null);
  const watchedSec = uploadId === null ? 0 : rememberedPosition(uploadId);
  const point = (picture: Element, clientX?: number) => {
    const { left, width } = picture.getBoundingClientRect();
    setPreview({ share: clientX === undefined ? 0.5 : (clientX - left) / width, widthPx: width });
  };
  return (
    // The pointer only shows a preview; the title is the link.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li
      className={layout.stack}
      data-selected={selected.isSelected(file)}
      onFocus={({ currentTarget, target }) =>
        target.matches("a:focus-visible") && point(currentTarget)
      }
      onBlur={() => setPreview(null)}
      onPointerMove={({ currentTarget, clientX, pointerType }) =>
        pointerType === "mouse" && point(currentTarget, clientX)
      }
      onPointerLeave={() => setPreview(null)}
    >
      <span className={styles.picture}>
        <Thumbnail uploadId={file.hasThumbnail ? uploadId : null}>
          <FileTypeIcon type={file.uploadType} />
        </Thumbnail>
        {previews && preview !== null && file.hasStoryboard && uploadId !== null && (
          <StoryboardFrame
            id={uploadId}
            sec={preview.share * (durationSec ?? 0)}
            widthPx={preview.widthPx}
          />
        )}
        {durationSec !== null && (
          <span className={classNames(layout.tiny, layout.strong, styles.length)}>
            {formatDuration(durationSec)}
          </span>
        )}
        {watchedSec > 0 && durationSec !== null && (
          <span
            className={styles.watched}
            style={{ width: `${Math.min(100, (watchedSec / durationSec) * 100)}%` }}
            role="img"
            aria-label={`Watched until ${formatDuration(watchedSec)}`}
          />
        )}
      </span>
      <span className={styles.box}>
        <Checkbox
          label={`Select ${title}`}
          labelHidden
          checked={selected.isSelected(file)}
          onChange={(next, { shiftKey }) => selected.selectRow(file, next, shiftKey)}
        />
      </span>
      <span className={textClassName}>
        <span className={classNames(layout.small, layout.strong, styles.title)}>
          <FileLink file={file} />
        </span>
        <span className={classNames(layout.note, layout.oneLine)}>
          {[
            visibleText(file.username ?? "Unknown"),
            formatDate(new Date(file.recordedAt ?? file.lastModified)),
          ].join(" · ")}
        </span>
        {file.status !== "complete" && <FileStatusBadge status={file.status} />}
        <FileMarks file={file} />
        <span className={styles.menu}>
          <RowMenu name={title} items={actions} shortcut="row" />
        </span>
      </span>
    </li>
  );
}

/** A storyboard has up to a few megabytes: passing over a card does not load it. */
const DWELL_MS = 200;

function useLater(wanted: boolean): boolean {
  const [isDue, setIsDue] = useState(false);
  useEffect(() => {
    if (!wanted) return undefined;
    const timer = setTimeout(() => setIsDue(true), DWELL_MS);
    return () => {
      clearTimeout(timer);
      setIsDue(false);
    };
  }, [wanted]);
  return isDue;
}
