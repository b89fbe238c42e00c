import { useQuery } from "@tanstack/react-query";
import { ArrowDownWideNarrow, ArrowUpNarrowWide } from "lucide-react";
import { useCallback } from "react";
import {
  fileStatusSchema,
  uploadTypeSchema,
  type FileStatus,
  type UploadType,
} from "#contract/files.ts";
import type { UserId } from "#contract/ids.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, IconButton } from "#console/ui/button.tsx";
import { SearchField } from "#console/ui/search-field.tsx";
import { Select, type SelectOption } from "#console/ui/select.tsx";
import type { SortOrder } from "#console/ui/list/table.tsx";
import { Toolbar } from "#console/ui/toolbar.tsx";
import { ListTools } from "#console/features/views/list-tools.tsx";
import { fileOwnersQuery } from "./file-queries.ts";
import { FILE_STATUS_LABELS, FILE_TYPE_LABELS } from "./file-words.ts";
import styles from "./files-toolbar.module.css";
import { FILE_SORTS, isFiltered, type FileFilters, type FileSort } from "./files-search.ts";

const TYPE_OPTIONS: readonly SelectOption<UploadType | "all">[] = [
  { value: "all", label: "All Types" },
  ...uploadTypeSchema.options.map((value) => ({ value, label: FILE_TYPE_LABELS[value] })),
];

const STATUS_OPTIONS: readonly SelectOption<FileStatus | "all">[] = [
  { value: "all", label: "All Status" },
  ...fileStatusSchema.options.map((value) => ({ value, label: FILE_STATUS_LABELS[value] })),
];

/** File and Actions always show. */
const HIDEABLE = {
  user: "User",
  "type-status": "Type & Status",
  size: "Size",
  modified: "Modified",
};

const SORT_LABELS: Readonly<Record<FileSort, string>> = {
  date: "Sort by Date",
  name: "Sort by Name",
  size: "Sort by Size",
  user: "Sort by User",
};

const SORT_OPTIONS = FILE_SORTS.map((value) => ({ value, label: SORT_LABELS[value] }));

export function FilesToolbar({
  filters,
  onFilters,
  onClear,
  sortBy,
  sortOrder,
  onSort,
  hide,
  onHide,
}: {
  readonly filters: FileFilters;
  readonly onFilters: (next: FileFilters) => void;
  readonly onClear: () => void;
  readonly sortBy: FileSort;
  readonly sortOrder: SortOrder;
  readonly onSort: (sort: FileSort, order: SortOrder) => void;
  readonly hide: string | undefined;
  readonly onHide: (hide: string | undefined) => void;
}) {
  const search = useCallback(
    (text: string) => onFilters({ search: text || undefined }),
    [onFilters],
  );
  const descending = sortOrder === "desc";
  return (
    <Toolbar
      tools={
        <ListTools
          screen="/files"
          columns={HIDEABLE}
          current={{
            ...filters,
            sort: sortBy === "date" ? undefined : sortBy,
            order: sortOrder === "desc" ? undefined : sortOrder,
            hide,
          }}
          onHide={onHide}
        />
      }
    >
      <SearchField
        placeholder="Search files by name or key..."
        value={filters.search ?? ""}
        onChange={search}
        settleMs={0}
      />
      <span className={styles.owners}>
        <Select
          label="User"
          value={filters.user ?? "all"}
          options={useOwnerOptions(filters.user)}
          onChange={(user) => onFilters({ user: user === "all" ? undefined : user })}
        />
      </span>
      <Select
        label="Type"
        value={filters.type ?? "all"}
        options={TYPE_OPTIONS}
        onChange={(type) => onFilters({ type: type === "all" ? undefined : type })}
      />
      <Select
        label="Status"
        value={filters.status ?? "all"}
        options={STATUS_OPTIONS}
        onChange={(status) => onFilters({ status: status === "all" ? undefined : status })}
      />
      <Select
        label="Sort by"
        value={sortBy}
        options={SORT_OPTIONS}
        onChange={(sort) => onSort(sort, sortOrder)}
      />
      <IconButton
        kind="secondary"
        label={descending ? "Descending" : "Ascending"}
        onClick={() => onSort(sortBy, descending ? "asc" : "desc")}
      >
        {descending ? <ArrowDownWideNarrow /> : <ArrowUpNarrowWide />}
      </IconButton>
      {isFiltered(filters) && (
        <Button kind="quiet" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </Toolbar>
  );
}

/** Everyone who owns files, and the user in the address even if they own none. */
function useOwnerOptions(chosen: UserId | undefined): readonly SelectOption<UserId | "all">[] {
  const { data: owners = [] } = useQuery(fileOwnersQuery());
  const options = owners.flatMap(({ userId, username }) =>
    userId === null ? [] : [{ value: userId, label: visibleText(username ?? userId) }],
  );
  return [
    { value: "all", label: "All Users" },
    ...options,
    ...(chosen === undefined || options.some(({ value }) => value === chosen)
      ? []
      : [{ value: chosen, label: chosen }]),
  ];
}
