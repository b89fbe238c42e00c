import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { Skeleton } from "./skeleton.tsx";
import styles from "./table.module.css";

export type SortOrder = "asc" | "desc";

export type Column = {
  /** Unique within the table. */
  readonly id: string;
  readonly header: ReactNode;
  readonly align?: "start" | "end";
  /** A table with widths keeps them whatever its cells hold, so that live text moves nothing. */
  readonly width?: string;
  readonly sort?: { readonly order: SortOrder | null; readonly onSort: () => void };
};

/**
 * A real table: caption, scoped headers, one `aria-sort`, and a frame that scrolls by keyboard when
 * it is too narrow. The caller renders the rows.
 *
 * A `stacked` table turns its rows into blocks on narrow screens: a cell with `data-wide` takes a
 * line of its own, one with `data-grow` the room that is left, and `data-label` is shown above it.
 */
export function Table({
  caption,
  columns,
  busy = false,
  stacked = false,
  children,
}: {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly busy?: boolean;
  readonly stacked?: boolean;
  readonly children: ReactNode;
}) {
  const isFixed = columns.some((column) => column.width !== undefined);
  return (
    // A scrolling region must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={styles.frame} aria-label={`${caption}, table`} tabIndex={0}>
      <table
        className={classNames(styles.table, isFixed && styles.fixed, stacked && styles.stacked)}
        aria-busy={busy || undefined}
      >
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                style={column.width === undefined ? undefined : { width: column.width }}
                className={column.align === "end" ? styles.end : undefined}
                aria-sort={ariaSort(column.sort?.order)}
              >
                {column.sort === undefined ? (
                  column.header
                ) : (
                  <button type="button" className={styles.sort} onClick={column.sort.onSort}>
                    {column.header}
                    {column.sort.order === "asc" && <ArrowUp aria-hidden="true" />}
                    {column.sort.order === "desc" && <ArrowDown aria-hidden="true" />}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

function ariaSort(order: SortOrder | null | undefined) {
  if (order === "asc") return "ascending";
  return order === "desc" ? "descending" : undefined;
}

/** The number column's class. */
export const endCellClassName = styles.end;

const WIDTHS = ["70%", "55%", "80%", "45%", "62%"];

/** Rows that hold the table's shape until the first answer is there. */
export function SkeletonRows({
  rows,
  columns,
}: {
  readonly rows: number;
  readonly columns: number;
}) {
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
