import { expect, test } from "vitest";
import { holdRows } from "./held-rows.ts";

const row = (id: string, text = "") => ({ id, text });

test("held rows are updated in place", () => {
  const held = [row("b"), row("a")];
  expect(holdRows(held, [row("b", "new"), row("a")])).toEqual({
    rows: [row("b", "new"), row("a")],
    arrived: 0,
  });
});

test("new rows are counted instead of inserted, and rows pushed off the end stay", () => {
  const held = [row("c"), row("b"), row("a")];
  expect(holdRows(held, [row("e"), row("d"), row("c")])).toEqual({ rows: held, arrived: 2 });
});

test("a deleted row is removed even while rows are held", () => {
  const held = [row("c"), row("b"), row("a")];
  expect(holdRows(held, [row("c"), row("a")])).toEqual({ rows: [row("c"), row("a")], arrived: 0 });
});

test("when a row returns that was removed, the list is shown as it is", () => {
  const latest = [row("c"), row("b")];
  expect(holdRows([row("b")], latest, new Set(["b", "c"]))).toEqual({ rows: latest, arrived: 0 });
  expect(holdRows([row("b")], latest, new Set(["b"]))).toMatchObject({ arrived: 1 });
});

test("a row moving up from the next page is appended and does not count as new", () => {
  const held = [row("d"), row("c"), row("b")];
  expect(holdRows(held, [row("d"), row("b"), row("a")])).toEqual({
    rows: [row("d"), row("b"), row("a")],
    arrived: 0,
  });
});
