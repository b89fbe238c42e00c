import { Link, useNavigate } from "@tanstack/react-router";
import {
  Activity,
  CircleX,
  Download,
  Eye,
  FileVideo,
  Lock,
  Trash2,
  ArchiveRestore,
} from "lucide-react";
import type { StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import {
  FileStatusBadge,
  FileTypeBadge,
  FileTypeIcon,
} from "#console/domain/files/file-badges.tsx";
import {
  aboutFile,
  downloadRefusal,
  fileNameOf,
  fileTitleOf,
} from "#console/domain/files/file-words.ts";
import { FileMarks } from "#console/domain/files/file-marks.tsx";
import { useFileKeeping } from "#console/domain/files/use-file-keeping.ts";
import { downloadStoredFile } from "#console/domain/files/stored-file.ts";
import { mayBecomeMp4, mayPlay } from "#console/lib/playable.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import type { Column } from "#console/ui/list/data-table.tsx";
import { RowActions } from "#console/ui/list/row-actions.tsx";
import type { MenuItem } from "#console/ui/menu.tsx";
import layout from "#console/ui/layout.module.css";
import { Thumbnail } from "#console/ui/thumbnail.tsx";
import { DateTime } from "#console/ui/time.tsx";
import styles from "./files-table.module.css";

export type FileHandlers = {
  /** A deletion is in progress. */
  readonly deleting: boolean;
  readonly onDetails: (file: StoredFile) => void;
  readonly onSaveMp4: (file: StoredFile) => void;
  readonly onDelete: (file: StoredFile) => void;
};

/** Each sort begins with the newest and largest, but A to Z. */
export function fileColumns(handlers: FileHandlers): readonly Column<StoredFile>[] {
  return [
    {
      id: "file",
      header: "File",
      cell: (file) => <FileName file={file} />,
      className: styles.fileCell,
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
        <span className={classNames(layout.row, layout.gap1, styles.badges)}>
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
      cell: (file) => <FileActions file={file} {...handlers} />,
      phone: "corner",
      fixed: true,
    },
  ];
}

function FileName({ file }: { readonly file: StoredFile }) {
  const name = fileNameOf(file);
  const title = fileTitleOf(file);
  const about = [...aboutFile(file), ...(title === name ? [] : [name])].join(" · ");
  return (
    <div className={styles.file}>
      <Thumbnail uploadId={file.hasThumbnail ? file.uploadId : null}>
        <FileTypeIcon type={file.uploadType} />
      </Thumbnail>
      <span className={classNames(layout.strong, layout.anywhere, styles.name)}>
        <FileLink file={file} />
      </span>
      <span className={classNames(layout.note, styles.about)}>
        {about !== "" && `${about} · `}
        <code className={styles.key}>{visibleText(file.key)}</code>
      </span>
      <span className={classNames(layout.wrap, styles.marks)}>
        <FileMarks file={file} />
      </span>
    </div>
  );
}

/** The title, which leads to the video if it can be watched. */
export function FileLink({ file }: { readonly file: StoredFile }) {
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
    <span className={classNames(layout.stack, layout.gap0, styles.owner)}>
      {file.username === null ? (
        "Unknown"
      ) : (
        <Link to="/users" search={{ search: file.username }} className={layout.oneLine}>
          {visibleText(file.username)}
        </Link>
      )}
      {file.userId !== null && <small className={layout.oneLine}>{file.userId}</small>}
    </span>
  );
}

function FileActions({ file, ...handlers }: FileHandlers & { readonly file: StoredFile }) {
  const actions = useFileActions(file, handlers);
  return <RowActions name={fileTitleOf(file)} actions={actions} />;
}

/** What can be done with a file, in the list and in the gallery. */
export function useFileActions(
  file: StoredFile,
  { deleting, onDetails, onSaveMp4, onDelete }: FileHandlers,
): readonly MenuItem[] {
  const navigate = useNavigate();
  const { lock, restore, trash } = useFileKeeping();
  const writeMissing = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const downloadRefused = downloadRefusal(file);
  const { key, uploadId } = file;
  const isFree = file.lockedAt === null;
  const isTrashable = file.trashedAt === null && !file.isUploadRunning;
  return [
    ...(isTrashable
      ? [
          {
            label: "Move to Trash",
            icon: <Trash2 />,
            disabledReason: isFree ? deleteMissing : "Unlock it first.",
            onSelect: () => trash.mutate([key]),
          },
        ]
      : []),
    { label: "View Details", icon: <Eye />, opens: true, onSelect: () => onDetails(file) },
    {
      label: "Download",
      icon: <Download />,
      disabledReason: downloadRefused,
      onSelect: () => void downloadStoredFile(file.key),
    },
    ...(mayBecomeMp4(file)
      ? [
          {
            label: "Save as MP4",
            icon: <FileVideo />,
            disabledReason: downloadRefused,
            onSelect: () => onSaveMp4(file),
          },
        ]
      : []),
    file.trashedAt === null
      ? {
          label: isFree ? "Lock" : "Unlock",
          icon: <Lock />,
          disabledReason: writeMissing,
          onSelect: () => lock.mutate({ key, locked: isFree }),
        }
      : {
          label: "Restore",
          icon: <ArchiveRestore />,
          disabledReason: writeMissing,
          onSelect: () => restore.mutate([key]),
        },
    file.isUploadRunning && uploadId !== null
      ? {
          label: "Show Upload",
          icon: <Activity />,
          onSelect: () => void navigate({ to: "/uploads", search: { upload: uploadId } }),
        }
      : {
          label: "Delete",
          icon: <CircleX />,
          danger: true,
          disabledReason: deleting
            ? "Another file is being deleted."
            : isFree
              ? deleteMissing
              : "Unlock it first.",
          onSelect: () => onDelete(file),
        },
  ];
}
