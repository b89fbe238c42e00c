import { useState } from "react";
import layout from "../layout.module.css";
import { SearchField } from "../search-field.tsx";
import { ColumnsMenu } from "./columns-menu.tsx";
import { FilterSelect } from "./filter-select.tsx";

const COLUMNS = [
  { id: "name", header: "Name" },
  { id: "size", header: "Size" },
];

export function WithColumns() {
  const [search, setSearch] = useState("");
  const [hide, setHide] = useState<string | undefined>(undefined);
  return (
    <div className={layout.wrap}>
      <SearchField placeholder="Search samples..." value={search} onChange={setSearch} />
      <FilterSelect
        label="Kind"
        all="All Kinds"
        value={undefined}
        options={[{ value: "large", label: "Large" }]}
        onChange={() => undefined}
      />
      <ColumnsMenu columns={COLUMNS} hide={hide} onChange={setHide} />
    </div>
  );
}
