import { ArrowDown, ArrowUp } from "lucide-react";
import type { StoredFile } from "#contract/files.ts";
import type { List } from "#console/lib/use-list.ts";
import { IconButton } from "#console/ui/button.tsx";
import { Select } from "#console/ui/select.tsx";

const SORT_OPTIONS = [
  { value: "date", label: "Sort by Date" },
  { value: "name", label: "Sort by Name" },
  { value: "size", label: "Sort by Size" },
  { value: "user", label: "Sort by User" },
  { value: "recorded", label: "Sort by Broadcast" },
  { value: "length", label: "Sort by Length" },
];

export function FilesSort({ list: { sort, sortBy } }: { readonly list: List<StoredFile> }) {
  const descending = sort.order === "desc";
  return (
    <span className="row">
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
  );
}
