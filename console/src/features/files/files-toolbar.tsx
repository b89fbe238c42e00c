import { ArrowDown, ArrowUp } from "lucide-react";
import { fileStatusSchema, uploadTypeSchema, type StoredFile } from "#contract/files.ts";
import { FILE_STATUS_LABELS, FILE_TYPE_LABELS } from "#console/domain/files/file-words.ts";
import type { List } from "#console/lib/use-list.ts";
import { Button, IconButton } from "#console/ui/button.tsx";
import type { Column } from "#console/ui/list/data-table.tsx";
import { FilterSelect } from "#console/ui/list/filter-select.tsx";
import { Select } from "#console/ui/select.tsx";
import { ListBar } from "#console/domain/list-bar.tsx";
import type { FilesSearch } from "./files-search.ts";
import layout from "#console/ui/layout.module.css";
import styles from "./files-table.module.css";
import { OwnerFilter } from "./owner-filter.tsx";

const TYPE_OPTIONS = uploadTypeSchema.options.map((value) => ({
  value,
  label: FILE_TYPE_LABELS[value],
}));

const STATUS_OPTIONS = fileStatusSchema.options.map((value) => ({
  value,
  label: FILE_STATUS_LABELS[value],
}));

const CHAT_OPTIONS = [{ value: "missing", label: "Chat missing" }] as const;

/** Files in the trash are shown only there. */
const KEEPING_OPTIONS = [
  { value: "trash", label: "In the trash" },
  { value: "source", label: "Changed at the source" },
] as const;
const SORT_OPTIONS = [
  { value: "date", label: "Sort by Date" },
  { value: "name", label: "Sort by Name" },
  { value: "size", label: "Sort by Size" },
  { value: "user", label: "Sort by User" },
  { value: "recorded", label: "Sort by Broadcast" },
  { value: "length", label: "Sort by Length" },
];

const MONTHS_OFFERED = 36;
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Of "2026-11". */
function monthName(month: string): string {
  const [year, number] = month.split("-");
  return `${MONTHS[Number(number) - 1]} ${year}`;
}

/** The latest months, and the one in the address. */
function monthOptions(chosen: string | undefined) {
  const now = new Date();
  const latest = Array.from({ length: MONTHS_OFFERED }, (_month, ago) => {
    const start = new Date(now.getFullYear(), now.getMonth() - ago);
    const value = `${start.getFullYear()}-${String(start.getMonth() + 1).padStart(2, "0")}`;
    return { value, label: monthName(value) };
  });
  return chosen === undefined || latest.some(({ value }) => value === chosen)
    ? latest
    : [...latest, { value: chosen, label: monthName(chosen) }];
}

export function FilesToolbar({
  list,
  columns,
  filters,
  onFilters,
}: {
  readonly list: List<StoredFile>;
  /** Undefined in the gallery. */
  readonly columns: readonly Column<StoredFile>[] | undefined;
  /** As shown; the list's may lag behind. */
  readonly filters: FilesSearch;
  readonly onFilters: (next: FilesSearch) => void;
}) {
  const { sort, sortBy, clear } = list;
  const descending = sort.order === "desc";
  return (
    <ListBar
      list={list}
      columns={columns}
      placeholder="Search files by name or key..."
      refreshing={null}
      settles
    >
      <span className={styles.filters}>
        <OwnerFilter value={filters.user} onChange={(user) => onFilters({ user })} />
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
        <FilterSelect
          label="Kept"
          all="Outside the Trash"
          value={filters.trash === "only" ? "trash" : filters.source && "source"}
          options={KEEPING_OPTIONS}
          onChange={(kept) =>
            onFilters({
              trash: kept === "trash" ? "only" : undefined,
              source: kept === "source" ? "changed" : undefined,
            })
          }
        />
        <FilterSelect
          label="Month"
          all="Any Month"
          value={filters.month}
          options={monthOptions(filters.month)}
          onChange={(month) => onFilters({ month })}
        />
        <span className={layout.row}>
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
            {descending ? <ArrowDown /> : <ArrowUp />}
          </IconButton>
        </span>
      </span>
      {list.isFiltered && (
        <Button kind="quiet" onClick={clear}>
          Clear filters
        </Button>
      )}
    </ListBar>
  );
}
