import { useSelector } from "@tanstack/react-store";
import { useRef, type ReactNode } from "react";
import type { PagedList } from "#contract/paging.ts";
import { bulkState } from "#console/lib/bulk-state.ts";
import { formatCount, formatTotal } from "#console/lib/format.ts";
import { classNames } from "../class-names.ts";
import styles from "./selection-bar.module.css";
import { TextButton } from "../text-button.tsx";
import type { SelectedRows } from "./use-selection.ts";

/**
 * Shows the selection, extends it to all that match or clears it, and holds the actions.
 */
export function SelectionBar({
  list: { facts: { total, totalIsCapped } = { total: 0 } },
  selected: { selection, ...selected },
  note,
  more,
  idle,
  children,
}: {
  readonly list: {
    readonly facts: Pick<PagedList<unknown>, "total" | "totalIsCapped"> | undefined;
  };
  readonly selected: Omit<SelectedRows<never>, "isSelected" | "selectRow" | "isPagePartlySelected">;
  /** More about the selection, e.g. its size. */
  readonly note?: string | undefined;
  /** Beside it, e.g. what the list leaves out. */
  readonly more?: ReactNode;
  /** Shown while nothing is selected, instead of saying so and of the actions. */
  readonly idle?: ReactNode;
  readonly children: ReactNode;
}) {
  const count = selection.size;
  const status = useRef<HTMLSpanElement>(null);
  const { progress } = useSelector(bulkState);
  const isIdle = idle !== undefined && count === 0 && progress === null;
  /** The pressed button vanishes; the focus goes to what it has changed. */
  function press(change: () => unknown) {
    status.current?.focus({ preventScroll: true });
    change();
  }
  return (
    <div
      className={classNames("wrap small", styles.bar)}
      data-selecting={count > 0 || progress !== null}
    >
      <span ref={status} className="soft" role="status" tabIndex={-1}>
        {!isIdle &&
          (progress?.verb ?? (count === 0 ? "Nothing selected" : `${formatCount(count)} selected`))}
        {progress === null && note !== undefined && `, ${note}`}
      </span>
      {isIdle && idle}
      {progress === null && (
        <span className={styles.wider}>
          {!selected.isPageSelected && total > 0 && (
            // Narrow screens have no header row with a box for this.
            <TextButton
              className={styles.narrow}
              onClick={() => press(() => selected.selectPage(true))}
            >
              Select this page
            </TextButton>
          )}
          {!isIdle && count < total && (
            <TextButton
              disabled={selected.selectingAll}
              onClick={() => press(selected.selectAllMatching)}
            >
              Select all {formatTotal(total, totalIsCapped)} matching
            </TextButton>
          )}
          {count > 0 && (
            <TextButton onClick={() => press(selected.clear)}>Clear selection</TextButton>
          )}
          {more}
        </span>
      )}
      {!isIdle && children}
    </div>
  );
}
