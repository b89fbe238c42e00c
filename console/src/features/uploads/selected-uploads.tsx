import { useSelector } from "@tanstack/react-store";
import { Ban, RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { UploadId } from "#contract/ids.ts";
import { cancelUpload } from "#contract/uploads.ts";
import { useFileKeeping } from "#console/domain/files/use-file-keeping.ts";
import { RETRYING, useFailureActions } from "#console/domain/uploads/failure-actions.ts";
import { call } from "#console/lib/api-client.ts";
import { bulkState } from "#console/lib/bulk-state.ts";
import { formatCount, formatPlural } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DialogSubject } from "#console/ui/dialog.tsx";
import { EACH_VERBS, useEachUpload } from "./upload-actions.ts";
import type { useUploadSelection } from "./use-upload-selection.ts";

const NAMES_SHOWN = 5;

/** Cancels, retries or moves to the trash what is selected. */
export function SelectedUploads({
  selected,
}: {
  readonly selected: ReturnType<typeof useUploadSelection>;
}) {
  const [asks, setAsks] = useState(false);
  const cancelEach = useEachUpload("cancel");
  const { retry } = useFailureActions();
  const { trash } = useFileKeeping();
  const disabledReason = useMissingPermission("write:uploads");
  const deleteMissing = useMissingPermission("delete:uploads");
  const { progress } = useSelector(bulkState);
  const { selection } = selected;
  const open = [...selection].filter(([, known]) => known.canCancel);
  const retryable = [...selection].flatMap(([id, { canRetry: may }]) => (may ? [id] : []));
  const trashable = [...selection.values()].flatMap(({ fileKey }) => fileKey ?? []);
  const nameOf = (id: UploadId) => selection.get(id)?.name ?? id;

  async function cancelAll(): Promise<void> {
    const { left } = await cancelEach(
      open.map(([id]) => id),
      nameOf,
      (id) => call(cancelUpload, { params: { id } }),
    );
    await selected.keep(left);
  }

  return (
    <>
      <Button
        icon={<Ban />}
        busy={progress?.verb === EACH_VERBS.cancel}
        disabled={open.length === 0 || progress !== null}
        disabledReason={disabledReason}
        onClick={() => setAsks(true)}
      >
        Cancel Selected ({formatCount(open.length)})
      </Button>
      <Button
        icon={<RotateCw />}
        busy={progress?.verb === RETRYING}
        disabled={retryable.length === 0 || progress !== null}
        disabledReason={disabledReason}
        onClick={() => void retry(retryable, nameOf).then(({ left }) => selected.keep(left))}
      >
        Retry Selected ({formatCount(retryable.length)})
      </Button>
      <Button
        icon={<Trash2 />}
        busy={trash.isPending}
        disabled={trashable.length === 0}
        disabledReason={deleteMissing}
        onClick={() => trash.mutate(trashable, { onSuccess: selected.clear })}
      >
        Move to Trash ({formatCount(trashable.length)})
      </Button>
      {asks && (
        <ConfirmDialog
          title="Cancel uploads"
          question={`Are you sure you want to cancel ${formatPlural(open.length, "upload")}? A cancelled upload can't be resumed.`}
          confirmLabel="Cancel uploads"
          typed={open.length > 1 ? formatCount(open.length) : undefined}
          dismissLabel="Keep them"
          danger
          onConfirm={() => void cancelAll()}
          onClose={() => setAsks(false)}
        >
          <DialogSubject
            name={open
              .slice(0, NAMES_SHOWN)
              .map(([, { name }]) => visibleText(name))
              .join(", ")}
            detail={
              <>
                {open.length > NAMES_SHOWN &&
                  `and ${formatCount(open.length - NAMES_SHOWN)} more. `}
                What is stored of them so far will be deleted.
              </>
            }
          />
        </ConfirmDialog>
      )}
    </>
  );
}
