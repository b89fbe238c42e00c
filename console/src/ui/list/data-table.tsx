import { ArrowUp } from "lucide-react";
import {
  memo,
  startTransition,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
} from "react";
import type { List, SortOrder } from "#console/lib/use-list.ts";
import { Button } from "../button.tsx";
import { Checkbox } from "../checkbox.tsx";
import { classNames } from "../class-names.ts";
import { Skeleton } from "../skeleton.tsx";
import { useHeldRows } from "./held-rows.ts";
import { endCellClassName, Table } from "./table.tsx";
import styles from "./table.module.css";
import type { SelectedRows } from "./use-selection.ts";

/** Everything about one column of a list. */
export type Column<Row> = {
  /** Names the column in addresses. */
  readonly id: string;
  readonly header: string;
  /** `expander` are the properties of a button that opens the row's detail. */
  cell(this: void, row: Row, expander: Expander): ReactNode;
  /** Instead of the cell in a held row that has left the list: what it has become. */
  goneCell?(this: void, row: Row): ReactNode;
  readonly align?: "end";
  /** A table with widths keeps them whatever its cells hold, so that live updates move nothing. */
  readonly width?: string;
  readonly className?: string | undefined;
  /**
   * In the block that a row becomes on narrow screens: the first line, a control at its end, a line
   * of its own, the remaining space of a line, or all of it beside a checkbox; hidden where the
   * row's details have it.
   */
  readonly phone?: "title" | "corner" | "line" | "grow" | "rest" | "hidden";
  /** Whether the header is shown above the value there. */
  readonly labelled?: boolean;
  readonly sort?: { readonly by: string; readonly first: SortOrder };
};

export type Expander = {
  readonly "aria-expanded": boolean;
  readonly "aria-controls": string | undefined;
  readonly onClick: () => void;
};

/** A panel below a row. Keep its functions stable, so that unchanged rows do not render again. */
type Detail<Row> = {
  readonly openId: string | undefined;
  onToggle(this: void, row: Row): void;
  render(this: void, row: Row): ReactNode;
  /** The panel brings its own padding and background. */
  readonly flush?: boolean;
};

/**
 * The rows of a list by its columns, or skeletons of them until the first answer.
 *
 * While the pointer or the focus is in the table, no row moves or vanishes: rows that have left the
 * list stay in grey, and new ones wait behind a button that shows their number.
 */
export function DataTable<Row>({
  list: { rows: latest, sort, sortBy, query, page, view },
  caption,
  columns,
  idOf,
  skeletonRows,
  selected,
  nameOf = idOf,
  detail,
  cards = false,
}: {
  readonly list: List<Row>;
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  readonly skeletonRows: number;
  /** For a column of checkboxes, labelled by `nameOf`. */
  readonly selected?: SelectedRows<Row>;
  readonly nameOf?: (row: Row) => string;
  readonly detail?: Detail<Row>;
  /** Rows are cards beside each other, with their sort above. */
  readonly cards?: boolean;
}) {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const hasRows = latest !== undefined;
  // Other columns are as wide as all rows need, and cards of different heights.
  const isSteady = !cards && columns.some(({ width }) => width !== undefined);
  const [isWhole, setIsWhole] = useState(!isSteady);
  useEffect(() => {
    if (hasRows) startTransition(() => setIsWhole(true));
  }, [hasRows]);
  const holder = useRef<HTMLDivElement>(null);
  // The functions change with every render; a row that took them would render with each.
  const selecting = useRef(selected);
  useLayoutEffect(() => {
    selecting.current = selected;
  });
  const selectRow = useCallback(
    (row: Row, isSelected: boolean, shiftKey: boolean) =>
      selecting.current?.selectRow(row, isSelected, shiftKey),
    [],
  );
  // Until its answer is there, a list shows the rows of the one before.
  const scope = query.isPlaceholderData ? "" : JSON.stringify([page, view]);
  const held = useHeldRows(latest ?? NO_ROWS, query.dataUpdatedAt, idOf, scope, pointed || focused);
  const { rows, gone, arrived, showArrived } = held;
  const headers = columns.map(({ id, header, align, width, sort: own }) => {
    const order = own?.by === sort.by ? sort.order : null;
    const next = order === null ? own?.first : order === "asc" ? "desc" : "asc";
    return {
      id,
      header,
      ...(align && { align }),
      ...(width !== undefined && { width }),
      ...(own && next && { sort: { order, onSort: () => sortBy(own.by, next) } }),
    };
  });
  const selectHeader = selected && {
    id: "select",
    // In a table with widths, a column without one takes all that is left.
    ...(columns.some(({ width }) => width !== undefined) && { width: "2.5rem" }),
    header: (
      <Checkbox
        label="Select all on this page"
        labelHidden
        checked={selected.isPageSelected}
        indeterminate={selected.isPagePartlySelected}
        disabled={latest === undefined}
        onChange={selected.selectPage}
      />
    ),
  };
  const all = selectHeader === undefined ? headers : [selectHeader, ...headers];
  return (
    // Pointer and focus only decide whether rows may move.
    <div
      ref={holder}
      className={styles.holder}
      onPointerEnter={(event) => setPointed(event.pointerType === "mouse")}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={(event) => setFocused(holder.current?.contains(event.relatedTarget) === true)}
    >
      {arrived > 0 && (
        <Button
          kind="primary"
          className={styles.pill ?? ""}
          icon={<ArrowUp />}
          onClick={showArrived}
        >
          {arrived} new
        </Button>
      )}
      <Table caption={caption} columns={all} busy={query.isPlaceholderData} stacked cards={cards}>
        {latest === undefined ? (
          <SkeletonRows rows={skeletonRows} columns={all.length} />
        ) : (
          (isWhole ? rows : rows.slice(0, FIRST_ROWS)).map((row) => (
            <MemoRow
              key={idOf(row)}
              row={row}
              isGone={gone.has(idOf(row))}
              columns={columns}
              isOpen={detail !== undefined && detail.openId === idOf(row)}
              onToggle={detail?.onToggle}
              renderDetail={detail?.render}
              flush={detail?.flush}
              onSelect={selectRow}
              selectName={selected && nameOf(row)}
              isSelected={selected?.isSelected(row)}
            />
          ))
        )}
        {hasRows &&
          !isWhole &&
          rows.slice(FIRST_ROWS).map((row) => (
            <tr key={idOf(row)}>
              <td colSpan={all.length} data-skeleton="" aria-hidden="true" />
            </tr>
          ))}
      </Table>
    </div>
  );
}

/** Drawn at once. Those below follow in short tasks, and until then only their space is there. */
const FIRST_ROWS = 8;

const NO_ROWS: readonly never[] = [];

function DataRow<Row>({
  row,
  isGone,
  columns,
  onSelect,
  selectName,
  isSelected,
  isOpen,
  onToggle,
  renderDetail,
  flush = false,
}: {
  readonly row: Row;
  readonly isGone: boolean;
  readonly columns: readonly Column<Row>[];
  onSelect(this: void, row: Row, isSelected: boolean, shiftKey: boolean): void;
  /** Of the row in its checkbox; undefined without one. */
  readonly selectName: string | undefined;
  readonly isSelected: boolean | undefined;
  readonly isOpen: boolean;
  readonly onToggle: Detail<Row>["onToggle"] | undefined;
  readonly renderDetail: Detail<Row>["render"] | undefined;
  readonly flush?: boolean | undefined;
}): ReactNode {
  const detailId = useId();
  const expander = {
    "aria-expanded": isOpen,
    "aria-controls": isOpen ? detailId : undefined,
    onClick: () => onToggle?.(row),
  };
  return (
    <>
      <tr data-selected={isSelected ?? (isOpen && !flush)} data-gone={isGone || undefined}>
        {selectName !== undefined && (
          <td>
            <Checkbox
              label={`Select ${selectName}`}
              labelHidden
              checked={isSelected === true}
              onChange={(next, { shiftKey }) => onSelect(row, next, shiftKey)}
            />
          </td>
        )}
        {columns.map(({ id, header, cell, goneCell, align, className, phone, labelled }) => (
          <td
            key={id}
            className={classNames(align === "end" && endCellClassName, className)}
            data-phone={phone}
            data-label={labelled === true ? header : undefined}
          >
            {isGone && goneCell !== undefined ? goneCell(row) : cell(row, expander)}
          </td>
        ))}
      </tr>
      {isOpen && renderDetail !== undefined && (
        <tr id={detailId}>
          <td
            className={flush ? styles.flush : undefined}
            data-phone="line"
            colSpan={columns.length + (selectName === undefined ? 0 : 1)}
          >
            {renderDetail(row)}
          </td>
        </tr>
      )}
    </>
  );
}

/** Renders again only when its own row changes. */
const MemoRow: typeof DataRow = memo(DataRow);

const WIDTHS = ["70%", "55%", "80%", "45%", "62%"];

/** Those of a block on narrow screens and of a card; on others, the last one spans the rest. */
const SKELETON_CELLS = 3;

/** Reserve the table's space until the first answer. */
const SkeletonRows = memo(function SkeletonRows({
  rows,
  columns,
}: {
  readonly rows: number;
  readonly columns: number;
}) {
  return Array.from({ length: rows }, (_row, row) => (
    <tr key={row}>
      {Array.from({ length: Math.min(columns, SKELETON_CELLS) }, (_column, column) => (
        <td key={column} colSpan={column === 2 ? columns - 2 : undefined}>
          <Skeleton width={WIDTHS[(row + column) % WIDTHS.length] ?? "60%"} />
        </td>
      ))}
    </tr>
  ));
});
