import { useRef, useState } from "react";
import { keepOnly, rangeBetween, withRows, type Selection } from "./selection.ts";

/**
 * A list's selection; `page` is the visible rows, and `read` picks what to keep of one. Another
 * `scope`, e.g. another filter, clears the selection.
 */
export function useSelection<Row, Id extends string, Known>(
  page: readonly Row[],
  scope: string,
  read: (row: Row) => readonly [Id, Known],
) {
  const [selection, setSelection] = useState<Selection<Id, Known>>(new Map());
  const [selectedIn, setSelectedIn] = useState(scope);
  if (selectedIn !== scope) {
    setSelectedIn(scope);
    setSelection(new Map());
  }
  const anchor = useRef<Id | null>(null);
  const rows = page.map(read);
  const selectedHere = rows.filter(([id]) => selection.has(id)).length;
  return {
    selection,
    /** Whether all, or only some, of the page's rows are selected. */
    isPageSelected: rows.length > 0 && selectedHere === rows.length,
    isPagePartlySelected: selectedHere > 0 && selectedHere < rows.length,
    isSelected: (row: Row) => selection.has(read(row)[0]),
    selectRow(row: Row, selected: boolean, shiftKey: boolean) {
      const [id, known] = read(row);
      const chosen = shiftKey ? rangeBetween(rows, anchor.current, id) : [[id, known] as const];
      anchor.current = id;
      setSelection((before) => withRows(before, chosen, selected));
    },
    selectPage: (selected: boolean) => setSelection((before) => withRows(before, rows, selected)),
    selectOnly: (all: Iterable<readonly [Id, Known]>) => setSelection(new Map(all)),
    keep: (ids: ReadonlySet<Id>) => setSelection((before) => keepOnly(before, ids)),
    drop: (id: Id) => setSelection((before) => new Map([...before].filter(([one]) => one !== id))),
    clear: () => setSelection(new Map()),
  };
}
