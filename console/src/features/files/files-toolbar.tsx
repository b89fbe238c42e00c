import { useQuery } from "@tanstack/react-query";
import { ListFilter } from "lucide-react";
import { useId, useState } from "react";
import { fileStatusSchema, uploadTypeSchema, type StoredFile } from "#contract/files.ts";
import { fileStatsQuery } from "#console/domain/files/file-stats-query.ts";
import { FILE_STATUS_LABELS, FILE_TYPE_LABELS } from "#console/domain/files/file-words.ts";
import { MONTHS } from "#console/lib/format.ts";
import type { List } from "#console/lib/use-list.ts";
import { Button } from "#console/ui/button.tsx";
import { FilterSelect } from "#console/ui/list/filter-select.tsx";
import menu from "#console/ui/menu.module.css";
import { ListBar } from "#console/domain/list-bar.tsx";
import type { FilesSearch } from "./files-search.ts";
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

/** Behind the button *Filters*. */
const FOLDED = ["chat", "trash", "source", "month"] as const;

/** Those with files, and the one in the address. */
function monthOptions(months: readonly string[], chosen: string | undefined) {
  const offered = chosen === undefined ? months : [...new Set([...months, chosen])];
  return offered.map((value) => {
    const [year, number] = value.split("-");
    return { value, label: `${MONTHS[Number(number) - 1]} ${year}` };
  });
}

export function FilesToolbar({
  list,
  filters,
  onFilters,
}: {
  readonly list: List<StoredFile>;
  /** As shown; the list's may lag behind. */
  readonly filters: FilesSearch;
  readonly onFilters: (next: FilesSearch) => void;
}) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const { data: { months = [] } = {} } = useQuery(fileStatsQuery(isOpen));
  const active = FOLDED.filter((name) => filters[name] !== undefined).length;
  return (
    <ListBar list={list} placeholder="Search files by name or key..." refreshing={null} settles>
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
        <Button icon={<ListFilter />} popoverTarget={id}>
          Filters{active > 0 && ` (${active})`}
        </Button>
        <div
          id={id}
          popover="auto"
          role="group"
          aria-label="Filters"
          className={menu.menu}
          onToggle={({ newState }) => setOpen(newState === "open")}
        >
          <span className="stack gap1">
            <FilterSelect
              label="Chat"
              all="Chat"
              value={filters.chat}
              options={CHAT_OPTIONS}
              onChange={(chat) => onFilters({ chat })}
            />
            <FilterSelect
              label="Stored"
              all="Files"
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
              all="Month"
              value={filters.month}
              options={monthOptions(months, filters.month)}
              onChange={(month) => onFilters({ month })}
            />
          </span>
        </div>
      </span>
      {list.isFiltered && (
        <Button kind="quiet" onClick={list.clear}>
          Clear filters
        </Button>
      )}
    </ListBar>
  );
}
