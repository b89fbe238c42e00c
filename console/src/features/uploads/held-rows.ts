import { useState } from "react";

type Row = { readonly id: string };

/**
 * Rows keep their place under the pointer: updates show in place, and new rows on top are counted
 * instead of inserted. A missing row counts as pushed off the page if that many rows are new,
 * otherwise as deleted; rows that move up from the next page are added below.
 */
export function holdRows<R extends Row>(
  held: readonly R[],
  latest: readonly R[],
): { readonly rows: readonly R[]; readonly arrived: number } {
  const latestById = new Map(latest.map((row) => [row.id, row]));
  const heldIds = new Set(held.map((row) => row.id));
  const known = latest.findLastIndex((row) => heldIds.has(row.id));
  const below = known === -1 ? [] : latest.slice(known + 1);
  const arrived = latest.filter((row) => !heldIds.has(row.id)).length - below.length;
  const rows = held.flatMap((row, index) => {
    const update = latestById.get(row.id);
    if (update !== undefined) return [update];
    return index >= held.length - arrived ? [row] : [];
  });
  return { rows: [...rows, ...below], arrived };
}

/** `scope` identifies the list; another list is shown at once, held or not. */
export function useHeldRows<R extends Row>(
  latest: readonly R[],
  scope: string,
  isHolding: boolean,
) {
  const [held, setHeld] = useState({ scope, rows: latest });
  const arranged =
    isHolding && held.scope === scope && held.rows.length > 0
      ? holdRows(held.rows, latest)
      : { rows: latest, arrived: 0 };
  const isUnchanged =
    held.scope === scope &&
    held.rows.length === arranged.rows.length &&
    held.rows.every((row, index) => row === arranged.rows[index]);
  if (!isUnchanged) setHeld({ scope, rows: arranged.rows });
  return {
    ...arranged,
    showArrived: () => setHeld({ scope, rows: latest }),
  };
}
