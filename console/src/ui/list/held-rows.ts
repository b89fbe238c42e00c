import { useSelector } from "@tanstack/react-store";
import { useState } from "react";
import { ownChanges, refreshedAt } from "#console/lib/query-client.ts";

/**
 * Rows keep their places under the pointer: updates show in place, a row that left the list stays
 * as it was and counts as `gone`, and new ones are only counted. A missing row was merely pushed
 * off the page if none below it is left and that many rows are new; one that moved up from the next
 * page is no new one.
 */
export function holdRows<Row>(
  held: readonly Row[],
  latest: readonly Row[],
  idOf: (row: Row) => string,
): { readonly rows: readonly Row[]; readonly gone: ReadonlySet<string>; readonly arrived: number } {
  const ids = new Set(held.map(idOf));
  const updates = new Map(latest.map((row) => [idOf(row), row]));
  const lastHeld = latest.findLastIndex((row) => ids.has(idOf(row)));
  const arrived = latest.filter(
    (row, index) => !ids.has(idOf(row)) && (index < lastHeld || lastHeld === -1),
  ).length;
  const lastShown = held.findLastIndex((row) => updates.has(idOf(row)));
  const kept = Math.max(lastShown, held.length - arrived);
  return {
    rows: held.map((row) => updates.get(idOf(row)) ?? row),
    gone: new Set(
      held
        .slice(0, kept)
        .map(idOf)
        .filter((id) => !updates.has(id)),
    ),
    arrived,
  };
}

const NONE: ReadonlySet<string> = new Set();

/**
 * `scope` identifies the list; another list is shown at once, held or not. `updatedAt` is when
 * `latest` was answered: rows are not held until the answer to a refresh.
 */
export function useHeldRows<Row>(
  latest: readonly Row[],
  updatedAt: number,
  idOf: (row: Row) => string,
  scope: string,
  isHolding: boolean,
) {
  const changes = useSelector(ownChanges);
  const askedAt = useSelector(refreshedAt);
  const [held, setHeld] = useState({ scope, latest, rows: latest, changes, updatedAt });
  const isAsked = held.updatedAt <= askedAt;
  const isShown = isAsked || (held.changes !== changes && held.latest !== latest);
  const isHeld = isHolding && held.scope === scope && held.rows.length > 0 && !isShown;
  const arranged = isHeld
    ? holdRows(held.rows, latest, idOf)
    : { rows: latest, gone: NONE, arrived: 0 };
  if (
    held.latest !== latest ||
    held.scope !== scope ||
    (!isHeld && held.rows !== latest) ||
    (isAsked && held.updatedAt !== updatedAt)
  ) {
    const seen = isHeld ? held.changes : changes;
    setHeld({ scope, latest, rows: arranged.rows, changes: seen, updatedAt });
  }
  return {
    ...arranged,
    showArrived: () => setHeld({ scope, latest, rows: latest, changes, updatedAt }),
  };
}
