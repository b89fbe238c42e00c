import type { Upload } from "#contract/upload.ts";
import { renditionText, shortfallOf } from "#console/domain/uploads/rendition-text.ts";
import { WatchLink } from "#console/domain/uploads/watch-link.tsx";
import { formatDate } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Thumbnail } from "#console/ui/thumbnail.tsx";
import styles from "./uploads-table.module.css";

/** The picture and the stream's title, which leads to the video, with owner and filename below. */
export function UploadName({ upload }: { readonly upload: Upload }) {
  const { streamTitle } = upload.metadata;
  const title = visibleText(streamTitle ?? upload.filename);
  const { withheldRendition } = upload.metadata;
  const shortfall = shortfallOf(upload.metadata);
  const notes = [
    withheldRendition === null ? null : renditionText(upload.metadata),
    upload.recordedAt === null ? null : formatDate(new Date(upload.recordedAt)),
    visibleText(
      `${upload.owner === null ? "" : `${upload.owner.displayName} · `}${upload.filename}`,
    ),
  ];
  return (
    <div className={styles.file}>
      <Thumbnail uploadId={upload.hasThumbnail ? upload.id : null} />
      <span className={styles.title}>
        <WatchLink upload={upload} title={title} />
      </span>
      {shortfall !== null && <span className={styles.note}>{shortfall}</span>}
      <span className={styles.name}>{notes.filter(Boolean).join(" · ")}</span>
    </div>
  );
}
