import { useState } from "react";

type Row = { readonly id: string };

/**
 * Rows keep their place under the pointer: updates show in place, and new rows on top are counted
 * instead of inserted. A missing row counts as pushed off the page if that many rows are new,
 * otherwise as deleted; rows that move up from the next page are added below.
 *
 * `seen`: rows that were held at any time. When one returns that was removed, such as a retried
 * upload that fails again, the list is shown as it is.
 */
export function holdRows<R extends Row>(
  held: readonly R[],
  latest: readonly R[],
  seen: ReadonlySet<string> = new Set(),
): { readonly rows: readonly R[]; readonly arrived: number } {
  const isHeld = ({ id }: R) => held.some((row) => row.id === id);
  if (latest.some((row) => seen.has(row.id) && !isHeld(row))) return { rows: latest, arrived: 0 };
  const below = latest.slice(latest.findLastIndex(isHeld) + 1 || latest.length);
  const arrived = latest.filter((row) => !isHeld(row)).length - below.length;
  const rows = held.flatMap((row, index) => {
    const update = latest.find(({ id }) => id === row.id);
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
  const [held, setHeld] = useState({ scope, rows: latest, seen: new Set<string>() });
  const isHeld = isHolding && held.scope === scope && held.rows.length > 0;
  const arranged = isHeld ? holdRows(held.rows, latest, held.seen) : { rows: latest, arrived: 0 };
  const isUnchanged =
    held.scope === scope &&
    held.rows.length === arranged.rows.length &&
    held.rows.every((row, index) => row === arranged.rows[index]);
  if (!isUnchanged) {
    const shown = arranged.rows.map(({ id }) => id);
    setHeld({
      scope,
      rows: arranged.rows,
      seen: new Set(isHeld ? [...held.seen, ...shown] : shown),
    });
  }
  return {
    ...arranged,
    showArrived: () => setHeld({ ...held, scope, rows: latest }),
  };
}
