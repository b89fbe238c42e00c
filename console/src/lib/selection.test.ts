import { expect, test } from "vitest";
import { rangeBetween, withRows, type Selection } from "./selection.ts";

const rows = ["a", "b", "c", "d", "e"].map((id) => [id, { size: id.length }] as const);
const EMPTY: Selection<string, { size: number }> = new Map();

test("a selection spans pages and holds only chosen rows", () => {
  const first = withRows(EMPTY, rows.slice(0, 2), true);
  const both = withRows(first, rows.slice(3, 4), true);
  expect([...withRows(both, rows.slice(0, 1), false).keys()]).toEqual(["b", "d"]);
});

test("Shift selects from the last clicked row to this one, in both directions", () => {
  expect(rangeBetween(rows, "b", "d")).toEqual(rows.slice(1, 4));
  expect(rangeBetween(rows, "d", "b")).toEqual(rows.slice(1, 4));
  expect(rangeBetween(rows, null, "c")).toEqual(rows.slice(2, 3));
});
