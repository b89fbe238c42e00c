import { Square } from "lucide-react";
import type { ReactNode } from "react";
import type { BulkProgress } from "#console/lib/bulk-run.ts";
import { formatCount, formatTotal } from "#console/lib/format.ts";
import { Button } from "../button.tsx";
import { Progress } from "../progress.tsx";
import styles from "./selection-bar.module.css";
import { TextButton } from "../text-button.tsx";

/**
 * Shows the selection, extends it to all that match or clears it, and holds the actions. While one
 * runs, it shows the progress.
 */
export function SelectionBar({
  count,
  note,
  total,
  totalIsCapped,
  isPageSelected,
  selectingAll,
  progress,
  onSelectPage,
  onSelectAll,
  onClear,
  onStop,
  children,
}: {
  readonly count: number;
  /** More about the selection, e.g. its size. */
  readonly note?: string | undefined;
  /** Number of matching rows. */
  readonly total: number;
  readonly totalIsCapped: boolean | undefined;
  readonly isPageSelected: boolean;
  /** The ids of all matching rows are loading. */
  readonly selectingAll: boolean;
  readonly progress: BulkProgress | null;
  readonly onSelectPage: () => void;
  readonly onSelectAll: () => void;
  readonly onClear: () => void;
  readonly onStop: () => void;
  readonly children: ReactNode;
}) {
  return (
    <div className={styles.bar} data-selecting={count > 0 || progress !== null}>
      <span role="status">
        {progress?.verb ?? (count === 0 ? "Nothing selected" : `${formatCount(count)} selected`)}
        {progress === null && note !== undefined && `, ${note}`}
      </span>
      {progress === null ? (
        <span className={styles.wider}>
          {!isPageSelected && total > 0 && (
            // Narrow screens have no header row with a box for this.
            <TextButton className={styles.narrow} onClick={onSelectPage}>
              Select this page
            </TextButton>
          )}
          {count < total && (
            <TextButton disabled={selectingAll} onClick={onSelectAll}>
              Select all {formatTotal(total, totalIsCapped)} matching
            </TextButton>
          )}
          {count > 0 && <TextButton onClick={onClear}>Clear selection</TextButton>}
        </span>
      ) : (
        <>
          <span className={styles.running}>
            {formatCount(progress.done)} of {formatCount(progress.total)}
            <Progress label={progress.verb} percent={(progress.done / progress.total) * 100} />
          </span>
          <Button icon={<Square />} onClick={onStop}>
            Stop
          </Button>
        </>
      )}
      {children}
    </div>
  );
}
