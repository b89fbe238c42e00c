import { Columns3 } from "lucide-react";
import { IconButton } from "../button.tsx";
import { hiddenIds, withColumn } from "./hidden-columns.ts";
import { Menu } from "../menu.tsx";

/** Shows and hides a list's columns; those that name a row or act on it can't be hidden. */
export function ColumnsMenu({
  columns,
  hide,
  onChange,
}: {
  /** The columns that can be hidden: labels by id. */
  readonly columns: Readonly<Record<string, string>>;
  /** As in the list's address. */
  readonly hide: string | undefined;
  readonly onChange: (hide: string | undefined) => void;
}) {
  const hidden = hiddenIds(hide);
  const ids = Object.keys(columns);
  return (
    <Menu
      label="Columns"
      items={Object.entries(columns).map(([id, label]) => ({
        label,
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
