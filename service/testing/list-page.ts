import * as fc from "fast-check";
import { searchFor } from "./tricky-text.ts";

type SortOrder = "asc" | "desc";
type Row = { readonly seq: number };
type Sorts<Of extends Row> = Readonly<Record<string, (left: Of, right: Of) => number>>;

/** Draws what each list is asked for: a page, an order, and perhaps a search for pieces of `texts`. */
export function drawPage<Sort extends string>(
  gen: fc.GeneratorValue,
  sorts: Readonly<Record<Sort, unknown>>,
  texts: readonly string[],
) {
  // The keys of a record without others.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const names = Object.keys(sorts) as Sort[];
  return {
    page: gen(fc.integer, { min: 1, max: 4 }),
    limit: gen(fc.integer, { min: 1, max: 9 }),
    search: gen(searchFor, texts),
    sortBy: gen(fc.constantFrom<Sort[]>, ...names),
    sortOrder: gen(fc.constantFrom<SortOrder[]>, "asc", "desc"),
  };
}

/** A naive page of the rows that match. Rows that are equal in the order follow their numbers. */
export function pageOf<Of extends Row, Sort extends string>(
  rows: readonly Of[],
  sorts: Pick<Sorts<Of>, Sort>,
  {
    page,
    limit,
    sortBy,
    sortOrder,
  }: Readonly<Record<"page" | "limit", number>> & {
    readonly sortBy: Sort;
    readonly sortOrder: SortOrder;
  },
) {
  const direction = sortOrder === "asc" ? 1 : -1;
  const sorted = rows.toSorted(
    (left, right) => direction * (sorts[sortBy](left, right) || left.seq - right.seq),
  );
  const end = page * limit;
  return { shown: sorted.slice(end - limit, end), hasNext: end < sorted.length };
}
