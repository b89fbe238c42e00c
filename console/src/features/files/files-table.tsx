import { Link } from "@tanstack/react-router";
import { Download, Eye, Trash2 } from "lucide-react";
import type { StoredFile } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { formatDateTime } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { IconButton } from "#console/ui/button.tsx";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { SelectPageBox } from "#console/ui/list/select-page-box.tsx";
import { endCellClassName, SkeletonRows, Table, type SortOrder } from "#console/ui/list/table.tsx";
import { FileStatusBadge, FileTypeBadge, FileTypeIcon } from "./file-badges.tsx";
import { downloadRefusal, fileNameOf } from "./file-words.ts";
import type { FileSort } from "./files-search.ts";
import styles from "./files-table.module.css";
import { downloadStoredFile } from "./stored-file.ts";
import type { useFileSelection } from "./use-file-selection.ts";

/** The initial order of each sort: newest and largest first, but A to Z. */
const FIRST_ORDER: Readonly<Record<FileSort, SortOrder>> = {
  date: "desc",
  name: "asc",
  size: "desc",
  user: "asc",
};

export function FilesTable({
  files,
  busy,
  sortBy,
  sortOrder,
  onSort,
  deleting,
  selected,
  onDetails,
  onDelete,
}: {
  /** Undefined until the first answer. */
  readonly files: readonly StoredFile[] | undefined;
  readonly busy: boolean;
  readonly sortBy: FileSort;
  readonly sortOrder: SortOrder;
  readonly onSort: (sort: FileSort, order: SortOrder) => void;
  /** A deletion is in progress. */
  readonly deleting: boolean;
  readonly selected: ReturnType<typeof useFileSelection>;
  readonly onDetails: (file: StoredFile) => void;
  readonly onDelete: (file: StoredFile) => void;
}) {
  function sortedBy(sort: FileSort) {
    const opposite = sortOrder === "asc" ? "desc" : "asc";
    return {
      order: sort === sortBy ? sortOrder : null,
      onSort: () => onSort(sort, sort === sortBy ? opposite : FIRST_ORDER[sort]),
    };
  }
  const columns = [
    {
      id: "select",
      header: <SelectPageBox selected={selected} disabled={files === undefined} />,
    },
    { id: "file", header: "File", sort: sortedBy("name") },
    { id: "user", header: "User", sort: sortedBy("user") },
    { id: "type-status", header: "Type & Status" },
    { id: "size", header: "Size", align: "end", sort: sortedBy("size") },
    { id: "modified", header: "Modified", sort: sortedBy("date") },
    { id: "actions", header: "Actions" },
  ] as const;
  return (
    <Table caption="Stored files" columns={columns} busy={busy} stacked>
      {files === undefined ? (
        <SkeletonRows rows={10} columns={columns.length} />
      ) : (
        files.map((file) => (
          <FileRow
            key={file.key}
            file={file}
            deleting={deleting}
            selected={selected.isSelected(file)}
            onSelect={(isSelected, shiftKey) => selected.selectRow(file, isSelected, shiftKey)}
            onDetails={() => onDetails(file)}
            onDelete={() => onDelete(file)}
          />
        ))
      )}
    </Table>
  );
}

function FileRow({
  file,
  deleting,
  selected,
  onSelect,
  onDetails,
  onDelete,
}: {
  readonly file: StoredFile;
  readonly deleting: boolean;
  readonly selected: boolean;
  readonly onSelect: (selected: boolean, shiftKey: boolean) => void;
  readonly onDetails: () => void;
  readonly onDelete: () => void;
}) {
  return (
    <tr data-selected={selected}>
      <td>
        <Checkbox
          label={`Select ${fileNameOf(file)}`}
          labelHidden
          checked={selected}
          onChange={(next, { shiftKey }) => onSelect(next, shiftKey)}
        />
      </td>
      <td data-grow="rest">
        <FileName file={file} />
      </td>
      <td className={styles.ownerCell} data-grow="true">
        <FileOwner file={file} />
      </td>
      <td className={styles.badgesCell}>
        <span className={styles.badges}>
          <FileTypeBadge type={file.uploadType} />
          <FileStatusBadge status={file.status} />
        </span>
      </td>
      <td
        className={classNames(endCellClassName, styles.number, styles.sizeCell)}
        data-label="Size"
      >
        {formatBytes(file.size)}
      </td>
      <td className={classNames(styles.number, styles.modifiedCell)}>
        <time dateTime={file.lastModified}>{formatDateTime(new Date(file.lastModified))}</time>
      </td>
      <td className={styles.actionsCell}>
        <FileActions file={file} deleting={deleting} onDetails={onDetails} onDelete={onDelete} />
      </td>
    </tr>
  );
}

function FileName({ file }: { readonly file: StoredFile }) {
  return (
    <div className={styles.file}>
      <span className={styles.icon}>
        <FileTypeIcon type={file.uploadType} />
      </span>
      <span className={styles.name}>{fileNameOf(file)}</span>
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
  onDelete,
}: {
  readonly file: StoredFile;
  readonly deleting: boolean;
  readonly onDetails: () => void;
  readonly onDelete: () => void;
}) {
  const deleteMissing = useMissingPermission("delete:uploads");
  const name = fileNameOf(file);
  return (
    <span className={styles.actions}>
      <IconButton label={`View Details of ${name}`} data-shortcut="row" onClick={onDetails}>
        <Eye />
      </IconButton>
      <IconButton
        label={`Download ${name}`}
        disabledReason={downloadRefusal(file)}
        onClick={() => void downloadStoredFile(file.key)}
      >
        <Download />
      </IconButton>
      <IconButton
        label={`Delete ${name}`}
        disabled={deleting}
        disabledReason={deleteMissing}
        onClick={onDelete}
      >
        <Trash2 />
      </IconButton>
    </span>
  );
}
