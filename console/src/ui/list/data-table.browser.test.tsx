import { useState } from "react";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import type { List } from "#console/lib/use-list.ts";
import { mount } from "#console/testing/mount.tsx";
import { DataTable, type Column } from "./data-table.tsx";
import { useSelection } from "./use-selection.ts";

type Row = { readonly id: string; readonly size: number };

const rendered: string[] = [];

const COLUMNS: readonly Column<Row>[] = [
  {
    id: "size",
    header: "Size",
    cell: ({ id, size }) => {
      rendered.push(id);
      return size;
    },
  },
];

const nothing = () => undefined;

const LIST: List<Row> = {
  query: {
    data: {},
    error: null,
    isError: false,
    isFetching: false,
    isPlaceholderData: false,
    dataUpdatedAt: 1,
    refetch: () => new Promise(nothing),
  },
  facts: undefined,
  rows: undefined,
  page: 1,
  text: "",
  sort: { by: "size", order: "desc" },
  isFiltered: false,
  view: {},
  searchFor: nothing,
  clear: nothing,
  setPage: nothing,
  sortBy: nothing,
};

const idOf = ({ id }: Row) => id;

/** A list whose rows can be selected, and a button that changes one of them. */
function Live() {
  const [rows, setRows] = useState<readonly Row[]>([
    { id: "a", size: 1 },
    { id: "b", size: 2 },
    { id: "c", size: 3 },
  ]);
  const grow = () => setRows(rows.map((row) => (row.id === "b" ? { id: "b", size: 3 } : row)));
  const selected = useSelection({
    page: rows,
    scope: "",
    read: (row: Row) => [row.id, row] as const,
    fetchMatching: async () => ({ rows: [], isCapped: false }),
    cappedText: String,
  });
  return (
    <>
      <button type="button" onClick={grow}>
        Grow
      </button>
      <DataTable
        list={{ ...LIST, rows }}
        caption="Sample"
        columns={COLUMNS}
        idOf={idOf}
        skeletonRows={3}
        selected={selected}
      />
    </>
  );
}

test("a changed row and a selected one render without the others", async () => {
  mount(<Live />);
  await expect.element(page.getByRole("cell", { name: "3" })).toBeVisible();
  rendered.length = 0;
  await page.getByRole("button", { name: "Grow" }).click();
  await expect.element(page.getByRole("cell", { name: "3" }).nth(1)).toBeVisible();
  expect(new Set(rendered)).toEqual(new Set(["b"]));
  rendered.length = 0;
  await page.getByRole("checkbox", { name: "Select c" }).click();
  await expect.element(page.getByRole("checkbox", { name: "Select c" })).toBeChecked();
  expect(new Set(rendered)).toEqual(new Set(["c"]));
});
