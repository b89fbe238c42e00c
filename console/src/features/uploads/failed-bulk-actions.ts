import type { UploadId } from "#contract/ids.ts";
import { deleteUpload } from "#contract/uploads.ts";
import { allFailed, useFailureActions } from "#console/domain/uploads/failure-actions.ts";
import { call } from "#console/lib/api-client.ts";
import { ApiError } from "#console/lib/api-error.ts";
import { startBulkRun, type BulkOutcome } from "#console/lib/bulk-run.ts";
import { formatPlural } from "#console/lib/format.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { useRefreshUploads } from "./upload-actions.ts";
import { retryableIds, type FailedSelection } from "./use-failed-selection.ts";

/** Leaves connections for the console's other requests. */
const DELETES_AT_ONCE = 4;

export const DELETING = "Deleting uploads";

function nameIn(selection: FailedSelection) {
  return (id: UploadId) => selection.get(id)?.name ?? id;
}

/** Actions on selected failed uploads, with progress and fixed toasts (docs/console.md#words). */
export function useFailedBulkActions() {
  const { retry, dismiss } = useFailureActions();
  const refresh = useRefreshUploads();

  async function deleteAll(
    selection: FailedSelection,
    file: "delete" | undefined,
  ): Promise<BulkOutcome<UploadId>> {
    const outcome = await startBulkRun({
      verb: DELETING,
      ids: [...selection.keys()],
      batchSize: 1,
      atOnce: DELETES_AT_ONCE,
      async work(batch) {
        try {
          for (const id of batch)
            await call(deleteUpload, { params: { id }, query: { ifStatus: "failed", file } });
          return new Map();
        } catch (error) {
          const isGone = error instanceof ApiError && error.code === "not_found";
          return isGone ? new Map() : allFailed(batch, error);
        }
      },
      reportTitle: (count) => `${formatPlural(count, "upload")} could not be deleted`,
      nameOf: nameIn(selection),
    });
    refresh();
    const { succeeded, failures } = outcome;
    if (succeeded > 0) toast.success(`Deleted ${formatPlural(succeeded, "upload")}`);
    if (failures.size > 0) toastError("Failed to delete some uploads");
    return outcome;
  }

  return {
    retryAll: (selection: FailedSelection) => retry(retryableIds(selection), nameIn(selection)),
    dismissAll: (selection: FailedSelection, undo: boolean) =>
      dismiss([...selection.keys()], undo, nameIn(selection)),
    deleteAll,
  };
}
