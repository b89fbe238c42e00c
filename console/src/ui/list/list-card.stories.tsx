import { Archive, Eye } from "lucide-react";
import type { List } from "#console/lib/use-list.ts";
import { Button } from "../button.tsx";
import { toast } from "../toast-store.ts";
import { DataTable, type Column } from "./data-table.tsx";
import { ListCard } from "./list-card.tsx";
import { RowActions } from "./row-actions.tsx";

type Row = { readonly name: string; readonly size: string };

const ACTIONS = [{ label: "Open", icon: <Eye />, onSelect: () => toast.info("Opened") }];

const COLUMNS: readonly Column<Row>[] = [
  { id: "name", header: "Name", cell: ({ name }) => name, sort: { by: "name", first: "asc" } },
  { id: "size", header: "Size", cell: ({ size }) => size, align: "end", labelled: true },
  {
    id: "actions",
    header: "Actions",
    cell: ({ name }) => <RowActions name={name} actions={ACTIONS} />,
  },
];

const FACTS = { page: 2, limit: 20, total: 95, hasPrev: true, hasNext: true };
const CAPPED = { ...FACTS, page: 1, total: 10_000, totalIsCapped: true };
const ROWS = [
  { name: "Filled", size: "12 MB" },
  { name: "Selected", size: "7 MB" },
];

export function Filled() {
  return <Sample facts={FACTS} rows={ROWS} />;
}

export function Loading() {
  return <Sample facts={CAPPED} />;
}

export function NothingFound() {
  return <Sample rows={[]} isFiltered />;
}

export function NothingYet() {
  return <Sample rows={[]} />;
}

export function Failed() {
  return <Sample error={new Error("refused")} />;
}

/** These samples change nothing. */
function nothing(): void {}

function Sample({
  error,
  ...given
}: Partial<Pick<List<Row>, "facts" | "rows" | "isFiltered">> & { readonly error?: Error }) {
  const list: List<Row> = {
    query: {
      data: error === undefined ? FACTS : undefined,
      error: error ?? null,
      isError: error !== undefined,
      isFetching: false,
      isPlaceholderData: false,
      dataUpdatedAt: 1,
      refetch: () => new Promise(() => undefined),
    },
    facts: undefined,
    rows: undefined,
    page: given.facts?.page ?? 1,
    text: "",
    hide: undefined,
    sort: { by: "name", order: "desc" },
    isFiltered: false,
    view: {},
    searchFor: nothing,
    clear: nothing,
    setPage: nothing,
    setHide: nothing,
    sortBy: () => toast.info("Sorted"),
    ...given,
  };
  return (
    <ListCard
      list={list}
      failure={{ title: "Failed to load samples" }}
      empty={{
        icon: <Archive />,
        title: "No samples found",
        firstHint: "What would fill the list.",
        firstStep: <Button>Make the first one</Button>,
      }}
    >
      <DataTable
        list={list}
        caption="Sample"
        columns={COLUMNS}
        idOf={({ name }) => name}
        skeletonRows={2}
        selected={{
          selection: { size: 1 },
          isPageSelected: false,
          isPagePartlySelected: true,
          isSelected: ({ name }) => name === "Selected",
          selectRow: nothing,
          selectPage: nothing,
          selectingAll: false,
          selectAllMatching: async () => nothing(),
          clear: nothing,
        }}
      />
    </ListCard>
  );
}
