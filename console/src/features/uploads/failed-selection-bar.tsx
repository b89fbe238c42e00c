import { useSelector } from "@tanstack/react-store";
import { BellOff, BellRing, RotateCw, Trash2 } from "lucide-react";
import type { Upload } from "#contract/upload.ts";
import { DISMISSING, RETRYING } from "#console/domain/uploads/failure-actions.ts";
import { bulkState } from "#console/lib/bulk-state.ts";
import { formatCount } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import type { List } from "#console/lib/use-list.ts";
import { Button } from "#console/ui/button.tsx";
import { SelectionBar } from "#console/ui/list/selection-bar.tsx";
import { DELETING, useFailedBulkActions } from "./failed-bulk-actions.ts";
import { retryableIds, type useFailedSelection } from "./use-failed-selection.ts";

/** Shows how many of the selected uploads can't be retried, only deleted. */
export function FailedSelectionBar({
  list,
  selected,
  areDismissed,
  onDelete,
}: {
  readonly list: List<Upload>;
  readonly selected: ReturnType<typeof useFailedSelection>;
  /** Whether the list is that of dismissed failures. */
  readonly areDismissed: boolean;
  readonly onDelete: () => void;
}) {
  const { selection } = selected;
  const { retryAll, dismissAll } = useFailedBulkActions();
  const writeMissing = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const retryable = retryableIds(selection).length;
  const exhausted = selection.size - retryable;
  const { progress } = useSelector(bulkState);
  return (
    <SelectionBar
      list={list}
      selected={selected}
      note={exhausted > 0 ? `${formatCount(exhausted)} can't be retried, only deleted` : undefined}
    >
      <Button
        icon={<RotateCw />}
        busy={progress?.verb === RETRYING}
        disabled={retryable === 0 || progress !== null}
        disabledReason={writeMissing}
        onClick={() => void retryAll(selection).then(({ left }) => selected.keep(left))}
      >
        Retry Selected ({formatCount(retryable)})
      </Button>
      <Button
        icon={areDismissed ? <BellRing /> : <BellOff />}
        busy={progress?.verb === DISMISSING}
        disabled={selection.size === 0 || progress !== null}
        disabledReason={writeMissing}
        onClick={() =>
          void dismissAll(selection, areDismissed).then(({ left }) => selected.keep(left))
        }
      >
        {areDismissed ? "Undismiss" : "Dismiss"} Selected
      </Button>
      <Button
        icon={<Trash2 />}
        busy={progress?.verb === DELETING}
        disabled={selection.size === 0 || progress !== null}
        disabledReason={deleteMissing}
        onClick={onDelete}
      >
        Delete Selected
      </Button>
    </SelectionBar>
  );
}
