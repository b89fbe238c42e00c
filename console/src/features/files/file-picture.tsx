import { useEffect, useState, type FocusEvent, type PointerEvent } from "react";
import type { StoredFile } from "#contract/files.ts";
import { FileTypeIcon } from "#console/domain/files/file-badges.tsx";
import { StoryboardFrame } from "#console/domain/files/storyboard-frame.tsx";
import { rememberedPosition } from "#console/domain/files/watch-positions.ts";
import { formatDuration } from "#console/lib/format.ts";
import { classNames } from "#console/ui/class-names.ts";
import { Thumbnail } from "#console/ui/thumbnail.tsx";
import styles from "./files-table.module.css";

/** The picture of a file, its length, what was watched of it, and what the pointer previews. */
export function FilePicture({
  file: { uploadId, durationSec, hasThumbnail, hasStoryboard, uploadType },
  preview,
}: {
  readonly file: StoredFile;
  readonly preview: Preview | null;
}) {
  const watchedSec = uploadId === null ? 0 : rememberedPosition(uploadId);
  return (
    <span className={styles.picture} data-picture="">
      <Thumbnail uploadId={hasThumbnail ? uploadId : null}>
        <FileTypeIcon type={uploadType} />
      </Thumbnail>
      {preview !== null && hasStoryboard && uploadId !== null && (
        <StoryboardFrame
          id={uploadId}
          sec={preview.share * (durationSec ?? 0)}
          widthPx={preview.widthPx}
        />
      )}
      {durationSec !== null && (
        <span className={classNames("tiny strong", styles.length)}>
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
  );
}

/** Where the picture is previewed, as a share of its width. */
type Preview = { readonly share: number; readonly widthPx: number };

/** A storyboard has up to a few megabytes: passing over a picture does not load it. */
const DWELL_MS = 200;

/** Of an element with a picture: previews it under the pointer, or its middle with the focus. */
export function usePreview() {
  const [pointed, setPointed] = useState<Preview | null>(null);
  const [isDue, setIsDue] = useState(false);
  const isPointed = pointed !== null;
  useEffect(() => {
    if (!isPointed) return undefined;
    const timer = setTimeout(() => setIsDue(true), DWELL_MS);
    return () => {
      clearTimeout(timer);
      setIsDue(false);
    };
  }, [isPointed]);
  const point = (element: Element, clientX?: number) => {
    const box = element.querySelector("[data-picture]")?.getBoundingClientRect();
    if (box === undefined) return;
    const share = clientX === undefined ? 0.5 : (clientX - box.left) / box.width;
    setPointed({ share: Math.min(1, Math.max(0, share)), widthPx: box.width });
  };
  return {
    preview: isDue ? pointed : null,
    onFocus: ({ currentTarget, target }: FocusEvent) =>
      target.matches("a:focus-visible") && point(currentTarget),
    onBlur: () => setPointed(null),
    onPointerMove: ({ currentTarget, clientX, pointerType }: PointerEvent) =>
      pointerType === "mouse" && point(currentTarget, clientX),
    onPointerLeave: () => setPointed(null),
  };
}
