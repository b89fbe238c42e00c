import { RotateCw, Trash2 } from "lucide-react";
import { formatCount, formatTotal } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { Button } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Progress } from "#console/ui/progress.tsx";
import type { BulkProgress } from "./failed-bulk-actions.ts";
import { retryableIds, type Selection } from "./failed-selection.ts";
import styles from "./failed-uploads.module.css";

/** Says what is selected and what would happen to it. */
export function FailedBulkBar({
  selection,
  total,
  totalIsCapped,
  progress,
  selectingAll,
  pageIsSelected,
  onSelectPage,
  onSelectAll,
  onClear,
  onRetry,
  onDelete,
}: {
  readonly selection: Selection;
  readonly total: number;
  readonly totalIsCapped: boolean | undefined;
  readonly progress: BulkProgress | null;
  readonly selectingAll: boolean;
  readonly pageIsSelected: boolean;
  readonly onSelectPage: () => void;
  readonly onSelectAll: () => void;
  readonly onClear: () => void;
  readonly onRetry: () => void;
  readonly onDelete: () => void;
}) {
  const writeMissing = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const retryable = retryableIds(selection).length;
  const exhausted = selection.size - retryable;
  const isEmpty = selection.size === 0;
  return (
    <div className={styles.bulk}>
      {progress === null ? (
        <span className={styles.count} role="status">
          {isEmpty ? "Nothing selected" : `${formatCount(selection.size)} selected`}
          {exhausted > 0 && `, ${formatCount(exhausted)} at max retries can only be deleted`}{" "}
          {!pageIsSelected && total > 0 && (
            // Narrow screens have no header row with a box for this.
            <button
              type="button"
              className={classNames(styles.link, styles.narrow)}
              onClick={onSelectPage}
            >
              Select this page
            </button>
          )}
          {selection.size < total && (
            <button
              type="button"
              className={styles.link}
              disabled={selectingAll}
              onClick={onSelectAll}
            >
              Select all {formatTotal(total, totalIsCapped)} matching
            </button>
          )}
          {!isEmpty && (
            <button type="button" className={styles.link} onClick={onClear}>
              Clear selection
            </button>
          )}
        </span>
      ) : (
        <span className={styles.running} role="status">
          {progress.verb} {formatCount(progress.done)} of {formatCount(progress.total)}
          <Progress
            label={`${progress.verb} uploads`}
            percent={(progress.done / progress.total) * 100}
          />
        </span>
      )}
      <Button
        icon={<RotateCw />}
        busy={progress?.verb === "Retrying"}
        disabled={retryable === 0 || progress !== null}
        disabledReason={writeMissing}
        onClick={onRetry}
      >
        Retry Selected ({formatCount(retryable)})
      </Button>
      <Button
        icon={<Trash2 />}
        busy={progress?.verb === "Deleting"}
        disabled={isEmpty || progress !== null}
        disabledReason={deleteMissing}
        onClick={onDelete}
      >
        Delete Selected
      </Button>
    </div>
  );
}
