/**
 * What is selected in a list, frozen: exactly the rows that were there when they were chosen, with
 * what was known of each then. Whatever comes to match later is never part of it.
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

/** What stays selected after an action: those for which it failed or was stopped. */
export function keepOnly<Id, Known>(
  selection: Selection<Id, Known>,
  ids: ReadonlySet<Id>,
): Selection<Id, Known> {
  return new Map([...selection].filter(([id]) => ids.has(id)));
}

/** The rows between the last press and this one, as a press with Shift selects them. */
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
