import { useQuery } from "@tanstack/react-query";
import { ArrowDownWideNarrow, ArrowUpNarrowWide } from "lucide-react";
import { useCallback } from "react";
import { fileStatusSchema, uploadTypeSchema, type StoredFile } from "#contract/files.ts";
import type { UserId } from "#contract/ids.ts";
import { FILE_STATUS_LABELS, FILE_TYPE_LABELS } from "#console/domain/files/file-words.ts";
import type { List } from "#console/lib/use-list.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, IconButton } from "#console/ui/button.tsx";
import type { Column } from "#console/ui/list/data-table.tsx";
import { FilterBar } from "#console/ui/list/filter-bar.tsx";
import { FilterSelect } from "#console/ui/list/filter-select.tsx";
import { Select, type SelectOption } from "#console/ui/select.tsx";
import { ListTools } from "#console/views/list-bar.tsx";
import { fileOwnersQuery } from "./file-queries.ts";
import { FILE_SORTS, isFiltered, type FileFilters, type FileSort } from "./files-search.ts";
import styles from "./files-toolbar.module.css";

const TYPE_OPTIONS = uploadTypeSchema.options.map((value) => ({
  value,
  label: FILE_TYPE_LABELS[value],
}));

const STATUS_OPTIONS = fileStatusSchema.options.map((value) => ({
  value,
  label: FILE_STATUS_LABELS[value],
}));

const CHAT_OPTIONS = [{ value: "missing", label: "Chat missing" }] as const;

const SORT_LABELS: Readonly<Record<FileSort, string>> = {
  date: "Sort by Date",
  name: "Sort by Name",
  size: "Sort by Size",
  user: "Sort by User",
  recorded: "Sort by Recording",
};

const SORT_OPTIONS: readonly SelectOption<string>[] = FILE_SORTS.map((value) => ({
  value,
  label: SORT_LABELS[value],
}));

export function FilesToolbar({
  list,
  columns,
  filters,
  onFilters,
}: {
  readonly list: List<StoredFile>;
  readonly columns: readonly Column<StoredFile>[];
  /** As shown; the list's may lag behind. */
  readonly filters: FileFilters;
  readonly onFilters: (next: FileFilters) => void;
}) {
  const { sort, sortBy, clear } = list;
  const onSearch = useCallback(
    (text: string) => onFilters({ search: text || undefined }),
    [onFilters],
  );
  const descending = sort.order === "desc";
  return (
    <FilterBar
      search={{
        placeholder: "Search files by name or key...",
        value: filters.search ?? "",
        onChange: onSearch,
        settleMs: 0,
      }}
      tools={<ListTools list={list} screen="/files" columns={columns} />}
    >
      <span className={styles.owners}>
        <FilterSelect
          label="User"
          all="All Users"
          value={filters.user}
          options={useOwnerOptions(filters.user)}
          onChange={(user) => onFilters({ user })}
        />
      </span>
      <FilterSelect
        label="Type"
        all="All Types"
        value={filters.type}
        options={TYPE_OPTIONS}
        onChange={(type) => onFilters({ type })}
      />
      <FilterSelect
        label="Status"
        all="All Status"
        value={filters.status}
        options={STATUS_OPTIONS}
        onChange={(status) => onFilters({ status })}
      />
      <FilterSelect
        label="Chat"
        all="Any Chat"
        value={filters.chat}
        options={CHAT_OPTIONS}
        onChange={(chat) => onFilters({ chat })}
      />
      <Select
        label="Sort by"
        value={sort.by}
        options={SORT_OPTIONS}
        onChange={(by) => sortBy(by, sort.order)}
      />
      <IconButton
        kind="secondary"
        label={descending ? "Descending" : "Ascending"}
        onClick={() => sortBy(sort.by, descending ? "asc" : "desc")}
      >
        {descending ? <ArrowDownWideNarrow /> : <ArrowUpNarrowWide />}
      </IconButton>
      {isFiltered(filters) && (
        <Button kind="quiet" onClick={clear}>
          Clear filters
        </Button>
      )}
    </FilterBar>
  );
}

/** Everyone who owns files, and the user in the address even if they own none. */
function useOwnerOptions(chosen: UserId | undefined): readonly SelectOption<UserId>[] {
  const { data } = useQuery(fileOwnersQuery());
  const options = (data?.byUser ?? []).flatMap(({ userId, username }) =>
    userId === null ? [] : [{ value: userId, label: visibleText(username ?? userId) }],
  );
  return chosen === undefined || options.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, label: chosen }];
}
