/**
 * A list's frozen selection: the rows that existed when selected, with their data at that time.
 * Rows that match later are never added.
 */
export type Selection<Id, Known> = ReadonlyMap<Id, Known>;

export function withRows<Id, Known>(
  selection: Selection<Id, Known>,
  rows: Iterable<readonly [Id, Known]>,
  selected: boolean,
): Selection<Id, Known> {
  const next = new Map(selection);
  for (const [id, known] of rows) {
    if (selected) next.set(id, known);
    else next.delete(id);
  }
  return next;
}

/** The rows between the last click and this one, for Shift-click. */
export function rangeBetween<Id, Known>(
  rows: readonly (readonly [Id, Known])[],
  anchor: Id | null,
  target: Id,
): readonly (readonly [Id, Known])[] {
  const to = rows.findIndex(([id]) => id === target);
  const from = rows.findIndex(([id]) => id === anchor);
  if (from === -1) return rows.slice(to, to + 1);
  return rows.slice(Math.min(from, to), Math.max(from, to) + 1);
}
