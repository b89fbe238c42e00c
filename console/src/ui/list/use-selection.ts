import { useRef, useState } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { formatCount } from "#console/lib/format.ts";
import { rangeBetween, withRows, type Selection } from "#console/lib/selection.ts";
import { toastError } from "../toast-error.ts";
import { toast } from "../toast-store.ts";

/** What a table and its selection bar need to know of a selection. */
export type SelectedRows<Row> = Omit<
  ReturnType<typeof useSelection<Row, string, unknown>>,
  "selection" | "keep" | "drop"
> & { readonly selection: { readonly size: number } };

/**
 * A list's selection: rows, this page, or all that match, each as it was when selected. Another
 * `scope`, e.g. another filter, clears it.
 */
export function useSelection<Row, Id extends string, Known>({
  page,
  scope,
  read,
  fetchMatching,
  cappedText,
}: {
  /** The visible rows. */
  readonly page: readonly Row[];
  readonly scope: string;
  /** What to keep of a row. */
  readonly read: (row: Row) => readonly [Id, Known];
  readonly fetchMatching: () => Promise<{
    readonly rows: readonly (readonly [Id, Known])[];
    readonly isCapped: boolean | undefined;
  }>;
  /** Said when more match than can be selected. */
  readonly cappedText: (count: string) => string;
}) {
  const [selection, setSelection] = useState<Selection<Id, Known>>(new Map());
  const [selectedIn, setSelectedIn] = useState(scope);
  const [selectingAll, setSelectingAll] = useState(false);
  if (selectedIn !== scope) {
    setSelectedIn(scope);
    setSelection(new Map());
  }
  const anchor = useRef<Id | null>(null);
  const rows = page.map(read);
  const selectedHere = rows.filter(([id]) => selection.has(id)).length;
  const drop = (isDropped: (id: Id) => boolean) =>
    setSelection((now) => new Map([...now].filter(([id]) => !isDropped(id))));
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
    /** The ids of all matching rows are loading. */
    selectingAll,
    async selectAllMatching() {
      setSelectingAll(true);
      try {
        const matching = await fetchMatching();
        setSelection(new Map(matching.rows));
        if (matching.isCapped === true) toast.info(cappedText(formatCount(matching.rows.length)));
      } catch (error) {
        toastError(messageOf(error));
      } finally {
        setSelectingAll(false);
      }
    },
    /** After a bulk run over this selection: keeps what it left and what still matches. */
    async keep(left: ReadonlySet<Id>) {
      drop((id) => selection.has(id) && !left.has(id));
      if (left.size === 0) return;
      try {
        const { rows: matching, isCapped } = await fetchMatching();
        const stillThere = new Map(matching);
        if (isCapped !== true) drop((id) => left.has(id) && !stillThere.has(id));
      } catch {
        // The next run reports what is gone.
      }
    },
    drop: (id: Id) => drop((one) => one === id),
    clear: () => setSelection(new Map()),
  };
}
