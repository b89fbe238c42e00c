import { Link } from "@tanstack/react-router";
import type { StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { FileStatusBadge, FileTypeBadge } from "#console/domain/files/file-badges.tsx";
import { downloadRefusal, fileNameOf, fileTitleOf } from "#console/domain/files/file-words.ts";
import { FileMarks } from "#console/domain/files/file-marks.tsx";
import { formatDate, formatDuration } from "#console/lib/format.ts";
import { mayPlay } from "#console/lib/playable.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import type { Column } from "#console/ui/list/data-table.tsx";
import { RowMenu } from "#console/ui/list/row-menu.tsx";
import { DateTime } from "#console/ui/time.tsx";
import type { FileActions } from "./file-items.tsx";
import { FilePicture, usePreview } from "./file-picture.tsx";
import styles from "./files-table.module.css";

/** Each sort begins with the newest and largest, but A to Z. */
export function fileColumns(actionsOf: FileActions): readonly Column<StoredFile>[] {
  return [
    {
      id: "file",
      header: "File",
      cell: (file) => <FileName file={file} />,
      phone: "title",
      sort: { by: "name", first: "asc" },
    },
    {
      id: "user",
      header: "User",
      cell: (file) => <FileOwner file={file} />,
      width: "9.5rem",
      className: styles.ownerCell,
      phone: "hidden",
      sort: { by: "user", first: "asc" },
    },
    {
      id: "type-status",
      header: "Type & Status",
      width: "8.5rem",
      cell: (file) => (
        <span className={classNames("row gap1", styles.badges)}>
          <FileTypeBadge type={file.uploadType} />
          <FileStatusBadge status={file.status} />
        </span>
      ),
      phone: "rest",
    },
    {
      id: "size",
      header: "Size",
      width: "5.5rem",
      cell: (file) => formatBytes(file.size),
      align: "end",
      className: classNames("nowrap", styles.number),
      phone: "hidden",
      sort: { by: "size", first: "desc" },
    },
    {
      id: "modified",
      header: "Modified",
      width: "8.25rem",
      cell: ({ lastModified }) => <DateTime at={lastModified} />,
      className: classNames("nowrap", styles.number, styles.modifiedCell),
      phone: "hidden",
      sort: { by: "date", first: "desc" },
    },
    {
      id: "actions",
      header: "Actions",
      width: "4rem",
      cell: (file) => (
        <RowMenu name={fileTitleOf(file)} items={() => actionsOf(file)} shortcut="row" />
      ),
      phone: "corner",
    },
  ];
}

function FileName({ file }: { readonly file: StoredFile }) {
  const name = fileNameOf(file);
  const title = fileTitleOf(file);
  const { recordedAt, durationSec } = file;
  const { preview, ...pointing } = usePreview();
  return (
    <div className={classNames("beside", styles.file)} {...pointing}>
      <FilePicture file={file} preview={preview} />
      <span className={classNames("strong", styles.name)}>
        <FileLink file={file} />
      </span>
      <span className={classNames("note oneLine", styles.about)}>
        {recordedAt !== null && formatDate(new Date(recordedAt))}
        <span className={styles.names}>
          {recordedAt !== null && " · "}
          {durationSec !== null && `${formatDuration(durationSec)} · `}
          {title !== name && `${name} · `}
          <code className={styles.key}>{visibleText(file.key)}</code>
        </span>
      </span>
      <span className={classNames("wrap", styles.marks)}>
        <FileMarks file={file} />
      </span>
    </div>
  );
}

/** The title, which leads to the video if it can be watched. */
function FileLink({ file }: { readonly file: StoredFile }) {
  const title = fileTitleOf(file);
  const mayWatch =
    downloadRefusal(file) === undefined && mayPlay(file.uploadType, fileNameOf(file));
  if (!mayWatch || file.uploadId === null) return title;
  return (
    <Link to="/watch/$uploadId" params={{ uploadId: file.uploadId }}>
      {title}
    </Link>
  );
}

function FileOwner({ file }: { readonly file: StoredFile }) {
  return (
    <span className={classNames("stack gap0", styles.owner)}>
      {file.username === null ? (
        "Unknown"
      ) : (
        <Link to="/users" search={{ search: file.username }} className="oneLine">
          {visibleText(file.username)}
        </Link>
      )}
      {file.userId !== null && <small className="oneLine">{file.userId}</small>}
    </span>
  );
}
