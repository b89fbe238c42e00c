import { Columns3 } from "lucide-react";
import { IconButton } from "../button.tsx";
import { hiddenIds, withColumn } from "#console/lib/hidden-columns.ts";
import { Menu } from "../menu.tsx";
import type { Column } from "./data-table.tsx";

/** Shows and hides a list's columns; those that name a row or act on it can't be hidden. */
export function ColumnsMenu({
  columns,
  hide,
  onChange,
}: {
  readonly columns: readonly Pick<Column<never>, "id" | "header" | "fixed">[];
  /** As in the list's address. */
  readonly hide: string | undefined;
  readonly onChange: (hide: string | undefined) => void;
}) {
  const hidden = hiddenIds(hide);
  const hideable = columns.filter(({ fixed }) => fixed !== true);
  const ids = hideable.map(({ id }) => id);
  return (
    <Menu
      label="Columns"
      items={hideable.map(({ id, header }) => ({
        label: header,
        checked: !hidden.includes(id),
        onSelect: () => onChange(withColumn(hide, ids, id)),
      }))}
      renderTrigger={(props) => (
        <IconButton {...props} kind="secondary" label="Columns">
          <Columns3 />
        </IconButton>
      )}
    />
  );
}
