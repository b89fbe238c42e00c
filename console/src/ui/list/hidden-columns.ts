import { createContext } from "react";

/** Ids of the columns that the tables below leave out. */
export const HiddenColumns = createContext<readonly string[]>([]);

/** The columns that an address hides, as `size,started`; ids that a table does not have mean nothing. */
export function hiddenIds(hide: string | undefined): readonly string[] {
  return hide === undefined ? [] : hide.split(",");
}

/** The same with one column switched; absent when nothing is hidden. */
export function withColumn(
  hide: string | undefined,
  hideable: readonly string[],
  id: string,
): string | undefined {
  const hidden = hiddenIds(hide);
  const next = hideable.filter((one) => hidden.includes(one) !== (one === id));
  return next.length === 0 ? undefined : next.join(",");
}
