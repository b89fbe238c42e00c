import { Link } from "@tanstack/react-router";
import { Download, Eye, FileVideo, Trash2 } from "lucide-react";
import type { StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { formatDateTime } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { mayPlay } from "#console/lib/playable.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { IconButton } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import type { Column } from "#console/ui/list/data-table.tsx";
import { Thumbnail } from "#console/ui/thumbnail.tsx";
import { FileStatusBadge, FileTypeBadge, FileTypeIcon } from "./file-badges.tsx";
import { downloadRefusal, fileNameOf, mayBecomeMp4 } from "./file-words.ts";
import styles from "./files-table.module.css";
import { downloadStoredFile } from "./stored-file.ts";

type FileHandlers = {
  readonly onDetails: (file: StoredFile) => void;
  readonly onSaveMp4: (file: StoredFile) => void;
  readonly onDelete: (file: StoredFile) => void;
};

/** Each sort begins with the newest and largest, but A to Z. */
export function fileColumns(
  handlers: FileHandlers,
  /** A deletion is in progress. */
  deleting: boolean,
): readonly Column<StoredFile>[] {
  return [
    {
      id: "file",
      header: "File",
      cell: (file) => <FileName file={file} />,
      phone: "rest",
      fixed: true,
      sort: { by: "name", first: "asc" },
    },
    {
      id: "user",
      header: "User",
      cell: (file) => <FileOwner file={file} />,
      className: styles.ownerCell,
      phone: "grow",
      sort: { by: "user", first: "asc" },
    },
    {
      id: "type-status",
      header: "Type & Status",
      cell: (file) => (
        <span className={styles.badges}>
          <FileTypeBadge type={file.uploadType} />
          <FileStatusBadge status={file.status} />
        </span>
      ),
      className: styles.badgesCell,
    },
    {
      id: "size",
      header: "Size",
      cell: (file) => formatBytes(file.size),
      align: "end",
      className: classNames(styles.number, styles.sizeCell),
      labelled: true,
      sort: { by: "size", first: "desc" },
    },
    {
      id: "modified",
      header: "Modified",
      cell: ({ lastModified }) => (
        <time dateTime={lastModified}>{formatDateTime(new Date(lastModified))}</time>
      ),
      className: classNames(styles.number, styles.modifiedCell),
      sort: { by: "date", first: "desc" },
    },
    {
      id: "actions",
      header: "Actions",
      cell: (file) => <FileActions file={file} deleting={deleting} {...handlers} />,
      className: styles.actionsCell,
      fixed: true,
    },
  ];
}

function FileName({ file }: { readonly file: StoredFile }) {
  const name = fileNameOf(file);
  const mayWatch = downloadRefusal(file) === undefined && mayPlay(file.uploadType, name);
  return (
    <div className={styles.file}>
      <Thumbnail uploadId={file.hasThumbnail ? file.uploadId : null}>
        <FileTypeIcon type={file.uploadType} />
      </Thumbnail>
      <span className={styles.name}>
        {mayWatch && file.uploadId !== null ? (
          <Link to="/watch/$uploadId" params={{ uploadId: file.uploadId }}>
            {name}
          </Link>
        ) : (
          name
        )}
      </span>
      <code className={styles.key}>{visibleText(file.key)}</code>
    </div>
  );
}

function FileOwner({ file }: { readonly file: StoredFile }) {
  return (
    <span className={styles.owner}>
      {file.username === null ? (
        "Unknown"
      ) : (
        <Link to="/users" search={{ search: file.username }}>
          {visibleText(file.username)}
        </Link>
      )}
      {file.userId !== null && <span className={styles.id}>{file.userId}</span>}
    </span>
  );
}

function FileActions({
  file,
  deleting,
  onDetails,
  onSaveMp4,
  onDelete,
}: FileHandlers & { readonly file: StoredFile; readonly deleting: boolean }) {
  const deleteMissing = useMissingPermission("delete:uploads");
  const name = fileNameOf(file);
  return (
    <span className={styles.actions}>
      <IconButton
        label={`View Details of ${name}`}
        data-shortcut="row"
        onClick={() => onDetails(file)}
      >
        <Eye />
      </IconButton>
      <IconButton
        label={`Download ${name}`}
        disabledReason={downloadRefusal(file)}
        onClick={() => void downloadStoredFile(file.key)}
      >
        <Download />
      </IconButton>
      {mayBecomeMp4(file) && (
        <IconButton
          label={`Save ${name} as MP4`}
          disabledReason={downloadRefusal(file)}
          onClick={() => onSaveMp4(file)}
        >
          <FileVideo />
        </IconButton>
      )}
      <IconButton
        label={`Delete ${name}`}
        disabled={deleting}
        disabledReason={deleteMissing}
        onClick={() => onDelete(file)}
      >
        <Trash2 />
      </IconButton>
    </span>
  );
}
