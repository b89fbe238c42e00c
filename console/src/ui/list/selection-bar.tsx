import { Square } from "lucide-react";
import type { ReactNode } from "react";
import type { BulkProgress } from "#console/lib/bulk-run.ts";
import { formatCount, formatTotal } from "#console/lib/format.ts";
import { Button } from "../button.tsx";
import { Progress } from "../progress.tsx";
import styles from "./selection-bar.module.css";
import { TextButton } from "../text-button.tsx";

/**
 * Says what is selected, widens it to all that match or lets it go, and holds the actions. While
 * one runs, it says how far that is.
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
  /** What else is to know about the selection, e.g. its size. */
  readonly note?: string | undefined;
  /** How many rows match. */
  readonly total: number;
  readonly totalIsCapped: boolean | undefined;
  readonly isPageSelected: boolean;
  /** The ids of all that match are being asked for. */
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
