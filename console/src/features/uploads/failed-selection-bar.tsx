import { RotateCw, Trash2 } from "lucide-react";
import type { ComponentProps } from "react";
import { formatCount } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { Button } from "#console/ui/button.tsx";
import { SelectionBar } from "#console/ui/list/selection-bar.tsx";
import { retryableIds, type FailedSelection } from "./use-failed-selection.ts";

/** Shows how many of the selected uploads can't be retried, only deleted. */
export function FailedSelectionBar({
  selection,
  onRetry,
  onDelete,
  ...scope
}: {
  readonly selection: FailedSelection;
  readonly onRetry: () => void;
  readonly onDelete: () => void;
} & Omit<ComponentProps<typeof SelectionBar>, "count" | "note" | "children">) {
  const writeMissing = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const retryable = retryableIds(selection).length;
  const exhausted = selection.size - retryable;
  const { progress } = scope;
  return (
    <SelectionBar
      {...scope}
      count={selection.size}
      note={exhausted > 0 ? `${formatCount(exhausted)} can't be retried, only deleted` : undefined}
    >
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
        disabled={selection.size === 0 || progress !== null}
        disabledReason={deleteMissing}
        onClick={onDelete}
      >
        Delete Selected
      </Button>
    </SelectionBar>
  );
}
