import { useState } from "react";
import { toast } from "../toast-store.ts";
import { ColumnsMenu } from "./columns-menu.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { FilterSelect } from "./filter-select.tsx";

const COLUMNS = [
  { id: "name", header: "Name" },
  { id: "size", header: "Size" },
];

export function WithColumns() {
  const [search, setSearch] = useState("");
  const [hide, setHide] = useState<string | undefined>(undefined);
  return (
    <FilterBar
      search={{ placeholder: "Search samples...", value: search, onChange: setSearch }}
      refreshing={false}
      onRefresh={() => toast.info("Refreshed")}
      tools={<ColumnsMenu columns={COLUMNS} hide={hide} onChange={setHide} />}
    >
      <FilterSelect
        label="Kind"
        all="All Kinds"
        value={undefined}
        options={[{ value: "large", label: "Large" }]}
        onChange={() => undefined}
      />
    </FilterBar>
  );
}
