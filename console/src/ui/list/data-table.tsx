import { memo, useId, useMemo, type ReactNode } from "react";
import { hiddenIds } from "#console/lib/hidden-columns.ts";
import type { List, SortOrder } from "#console/lib/use-list.ts";
import { Checkbox } from "../checkbox.tsx";
import { classNames } from "../class-names.ts";
import { Skeleton } from "../skeleton.tsx";
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
  readonly align?: "end";
  /** A table with widths keeps them whatever its cells hold, so that live updates move nothing. */
  readonly width?: string;
  readonly className?: string | undefined;
  /**
   * In the block that a row becomes on narrow screens: the first line, a control at its end, a line
   * of its own, the remaining space of a line, or all of it beside a checkbox.
   */
  readonly phone?: "title" | "corner" | "line" | "grow" | "rest";
  /** Whether the header is shown above the value there. */
  readonly labelled?: boolean;
  /** It names the row or acts on it, so it can't be hidden. */
  readonly fixed?: boolean;
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

/** The rows of a list by its columns, or skeletons of them until the first answer. */
export function DataTable<Row>({
  list: { hide, sort, sortBy, query, ...list },
  rows = list.rows,
  caption,
  columns,
  idOf,
  skeletonRows,
  selected,
  nameOf = idOf,
  detail,
}: {
  readonly list: List<Row>;
  /** The list's by default. */
  readonly rows?: readonly Row[] | undefined;
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  readonly skeletonRows: number;
  /** For a column of checkboxes, labelled by `nameOf`. */
  readonly selected?: SelectedRows<Row>;
  readonly nameOf?: (row: Row) => string;
  readonly detail?: Detail<Row>;
}) {
  const visible = useMemo(() => {
    const hidden = hiddenIds(hide);
    return columns.filter(({ id, fixed }) => fixed === true || !hidden.includes(id));
  }, [columns, hide]);
  const headers = visible.map(({ id, header, align, width, sort: own }) => {
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
    header: (
      <Checkbox
        label="Select all on this page"
        labelHidden
        checked={selected.isPageSelected}
        indeterminate={selected.isPagePartlySelected}
        disabled={rows === undefined}
        onChange={selected.selectPage}
      />
    ),
  };
  const all = selectHeader === undefined ? headers : [selectHeader, ...headers];
  return (
    <Table caption={caption} columns={all} busy={query.isPlaceholderData} stacked>
      {rows === undefined ? (
        <SkeletonRows rows={skeletonRows} columns={all.length} />
      ) : (
        rows.map((row) => (
          <MemoRow
            key={idOf(row)}
            row={row}
            columns={visible}
            isOpen={detail !== undefined && detail.openId === idOf(row)}
            onToggle={detail?.onToggle}
            renderDetail={detail?.render}
            flush={detail?.flush}
            checkbox={
              selected && (
                <Checkbox
                  label={`Select ${nameOf(row)}`}
                  labelHidden
                  checked={selected.isSelected(row)}
                  onChange={(next, { shiftKey }) => selected.selectRow(row, next, shiftKey)}
                />
              )
            }
            isSelected={selected?.isSelected(row)}
          />
        ))
      )}
    </Table>
  );
}

function DataRow<Row>({
  row,
  columns,
  checkbox,
  isSelected,
  isOpen,
  onToggle,
  renderDetail,
  flush = false,
}: {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly checkbox: ReactNode;
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
      <tr data-selected={isSelected ?? (isOpen && !flush)}>
        {checkbox !== undefined && <td>{checkbox}</td>}
        {columns.map(({ id, header, cell, align, className, phone, labelled }) => (
          <td
            key={id}
            className={classNames(align === "end" && endCellClassName, className)}
            data-phone={phone}
            data-label={labelled === true ? header : undefined}
          >
            {cell(row, expander)}
          </td>
        ))}
      </tr>
      {isOpen && renderDetail !== undefined && (
        <tr id={detailId}>
          <td
            className={flush ? styles.flush : undefined}
            data-phone="line"
            colSpan={columns.length}
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

/** Reserve the table's space until the first answer. */
function SkeletonRows({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  return Array.from({ length: rows }, (_row, row) => (
    <tr key={row}>
      {Array.from({ length: columns }, (_column, column) => (
        <td key={column}>
          <Skeleton width={WIDTHS[(row + column) % WIDTHS.length] ?? "60%"} />
        </td>
      ))}
    </tr>
  ));
}
