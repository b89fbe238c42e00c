import { ArrowDown, ArrowUp } from "lucide-react";
import { useEffect, useRef, type FocusEvent, type ReactNode } from "react";
import type { SortOrder } from "#console/lib/use-list.ts";
import { classNames } from "../class-names.ts";
import cardStyles from "./cards.module.css";
import styles from "./table.module.css";

type Header = {
  /** Unique within the table. */
  readonly id: string;
  readonly header: ReactNode;
  readonly align?: "start" | "end";
  readonly width?: string;
  readonly sort?: { readonly order: SortOrder | null; readonly onSort: () => void };
};

/**
 * A semantic table: caption, scoped headers, one `aria-sort`, and a frame that scrolls by keyboard
 * when it is too narrow. The caller renders the rows; lists do so by `DataTable`.
 *
 * A `stacked` table turns its rows into blocks on narrow screens, one of `cards` on others.
 *
 * When a focused row is removed, e.g. after a retry, the frame takes the focus.
 */
export function Table({
  caption,
  columns,
  busy = false,
  stacked = false,
  cards = false,
  children,
}: {
  readonly caption: string;
  readonly columns: readonly Header[];
  readonly busy?: boolean;
  readonly stacked?: boolean;
  readonly cards?: boolean;
  readonly children: ReactNode;
}) {
  const { frame, ...focus } = useKeptFocus();
  const isFixed = columns.some((column) => column.width !== undefined);
  return (
    <section
      ref={frame}
      className={styles.frame}
      aria-label={`${caption}, table`}
      // A scrolling region must be reachable by keyboard.
      tabIndex={0}
      {...focus}
    >
      <table
        className={classNames(
          styles.table,
          isFixed && styles.fixed,
          stacked && styles.stacked,
          cards && cardStyles.cards,
        )}
        data-cards={cards || undefined}
        aria-busy={busy || undefined}
      >
        <caption className="visuallyHidden">{caption}</caption>
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
                    {column.sort.order === "asc" && <ArrowUp />}
                    {column.sort.order === "desc" && <ArrowDown />}
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
