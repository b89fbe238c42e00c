import { useSelector } from "@tanstack/react-store";
import { RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Upload } from "#contract/upload.ts";
import { RETRYING, useFailureActions } from "#console/domain/uploads/failure-actions.ts";
import { bulkState } from "#console/lib/bulk-state.ts";
import { formatCount } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import type { List } from "#console/lib/use-list.ts";
import { Button } from "#console/ui/button.tsx";
import { SelectionBar } from "#console/ui/list/selection-bar.tsx";
import { DeleteFailedDialog } from "./lazy-parts.tsx";
import { EACH_VERBS } from "./upload-actions.ts";
import { nameIn, retryableIds, type useFailedSelection } from "./use-failed-selection.ts";

/** Shows how many of the selected uploads can't be retried, only deleted. */
export function FailedSelectionBar({
  list,
  selected,
}: {
  readonly list: List<Upload>;
  readonly selected: ReturnType<typeof useFailedSelection>;
}) {
  const { selection } = selected;
  const { retry } = useFailureActions();
  const writeMissing = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const retryable = retryableIds(selection);
  const exhausted = selection.size - retryable.length;
  const nameOf = nameIn(selection);
  const { progress } = useSelector(bulkState);
  const [asks, setAsks] = useState(false);
  return (
    <SelectionBar
      list={list}
      selected={selected}
      note={exhausted > 0 ? `${formatCount(exhausted)} can't be retried, only deleted` : undefined}
    >
      <Button
        icon={<RotateCw />}
        busy={progress?.verb === RETRYING}
        disabled={retryable.length === 0 || progress !== null}
        disabledReason={writeMissing}
        onClick={() => void retry(retryable, nameOf).then(({ left }) => selected.keep(left))}
      >
        Retry Selected ({formatCount(retryable.length)})
      </Button>
      <Button
        icon={<Trash2 />}
        busy={progress?.verb === EACH_VERBS.delete}
        disabled={selection.size === 0 || progress !== null}
        disabledReason={deleteMissing}
        onClick={() => setAsks(true)}
      >
        Delete Selected
      </Button>
      {asks && <DeleteFailedDialog selected={selected} onClose={() => setAsks(false)} />}
    </SelectionBar>
  );
}
