import { Link } from "@tanstack/react-router";
import { Download, Eye, FileVideo, Trash2 } from "lucide-react";
import type { StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import {
  FileStatusBadge,
  FileTypeBadge,
  FileTypeIcon,
} from "#console/domain/files/file-badges.tsx";
import { downloadRefusal, fileNameOf } from "#console/domain/files/file-words.ts";
import { downloadStoredFile } from "#console/domain/files/stored-file.ts";
import { formatDate } from "#console/lib/format.ts";
import { mayPlay } from "#console/lib/playable.ts";
import { mayBecomeMp4 } from "#console/lib/playable.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import type { Column } from "#console/ui/list/data-table.tsx";
import { RowActions } from "#console/ui/list/row-actions.tsx";
import type { MenuItem } from "#console/ui/menu.tsx";
import { Thumbnail } from "#console/ui/thumbnail.tsx";
import { DateTime } from "#console/ui/time.tsx";
import styles from "./files-table.module.css";

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
      phone: "title",
      fixed: true,
      sort: { by: "name", first: "asc" },
    },
    {
      id: "user",
      header: "User",
      cell: (file) => <FileOwner file={file} />,
      className: styles.ownerCell,
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
      cell: ({ lastModified }) => <DateTime at={lastModified} />,
      className: classNames(styles.number, styles.modifiedCell),
      sort: { by: "date", first: "desc" },
    },
    {
      id: "actions",
      header: "Actions",
      cell: (file) => <FileActions file={file} deleting={deleting} {...handlers} />,
      phone: "corner",
      fixed: true,
    },
  ];
}

function FileName({ file }: { readonly file: StoredFile }) {
  const name = fileNameOf(file);
  const about = broadcastText(file);
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
      {about !== "" && <span className={styles.about}>{about}</span>}
      <code className={styles.key}>{visibleText(file.key)}</code>
    </div>
  );
}

/** The broadcast's title and date, by which people know it. */
function broadcastText({ metadata, recordedAt }: StoredFile): string {
  const { title } = metadata;
  return [
    ...(typeof title === "string" ? [visibleText(title)] : []),
    ...(recordedAt === null ? [] : [formatDate(new Date(recordedAt))]),
  ].join(" · ");
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
      {file.userId !== null && <small>{file.userId}</small>}
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
  const downloadRefused = downloadRefusal(file);
  const actions: MenuItem[] = [
    { label: "View Details", icon: <Eye />, onSelect: () => onDetails(file) },
    {
      label: "Download",
      icon: <Download />,
      disabledReason: downloadRefused,
      onSelect: () => void downloadStoredFile(file.key),
    },
  ];
  if (mayBecomeMp4(file))
    actions.push({
      label: "Save as MP4",
      icon: <FileVideo />,
      disabledReason: downloadRefused,
      onSelect: () => onSaveMp4(file),
    });
  actions.push({
    label: "Delete",
    icon: <Trash2 />,
    danger: true,
    disabledReason: deleting ? "Another file is being deleted." : deleteMissing,
    onSelect: () => onDelete(file),
  });
  return <RowActions name={fileNameOf(file)} actions={actions} />;
}
