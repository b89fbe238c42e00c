import { ArrowDown, ArrowUp } from "lucide-react";
import { useContext, useEffect, useRef, type FocusEvent, type ReactNode } from "react";
import { classNames } from "../class-names.ts";
import { HiddenColumns } from "./hidden-columns.ts";
import hidingStyles from "./hidden-columns.module.css";
import { Skeleton } from "../skeleton.tsx";
import styles from "./table.module.css";

export type SortOrder = "asc" | "desc";

export type Column = {
  /** Unique within the table. */
  readonly id: string;
  readonly header: ReactNode;
  readonly align?: "start" | "end";
  /** A table with widths keeps them whatever its cells hold, so that live updates move nothing. */
  readonly width?: string;
  readonly sort?: { readonly order: SortOrder | null; readonly onSort: () => void };
};

/**
 * A semantic table: caption, scoped headers, one `aria-sort`, and a frame that scrolls by keyboard
 * when it is too narrow. The caller renders the rows.
 *
 * A `stacked` table turns its rows into blocks on narrow screens: a cell with `data-wide` takes its
 * own line, one with `data-grow` the remaining space ("wide": more of it, "rest": all beside a
 * checkbox), and `data-label` is shown above it.
 *
 * Columns in `HiddenColumns` are omitted, except the first one; cells must be in the order of the
 * columns.
 *
 * When a focused row is removed, e.g. after a retry, the frame takes the focus.
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
  const { frame, ...focus } = useKeptFocus();
  const hidden = useContext(HiddenColumns);
  const hiddenAt = columns.flatMap(({ id }, index) => (hidden.includes(id) ? [index + 1] : []));
  const isFixed = columns.some((column) => column.width !== undefined);
  return (
    <section
      ref={frame}
      className={styles.frame}
      aria-label={`${caption}, table`}
      // A scrolling region must be reachable by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      {...focus}
    >
      <table
        className={classNames(
          styles.table,
          hidingStyles.hiding,
          isFixed && styles.fixed,
          stacked && styles.stacked,
        )}
        aria-busy={busy || undefined}
        data-hide={hiddenAt.length === 0 ? undefined : hiddenAt.join(" ")}
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

function useKeptFocus() {
  const frame = useRef<HTMLElement>(null);
  const focused = useRef<Element | null>(null);
  useEffect(() => {
    if (focused.current === null || focused.current.isConnected) return;
    focused.current = null;
    if (document.activeElement === document.body) frame.current?.focus({ preventScroll: true });
  });
  return {
    frame,
    onFocus: (event: FocusEvent) => {
      focused.current = event.target;
    },
    onBlur: ({ relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) focused.current = null;
    },
  };
}

function ariaSort(order: SortOrder | null | undefined) {
  if (order === "asc") return "ascending";
  return order === "desc" ? "descending" : undefined;
}

/** Class of number columns. */
export const endCellClassName = styles.end;

const WIDTHS = ["70%", "55%", "80%", "45%", "62%"];

/** Rows that reserve the table's space until the first answer. */
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
