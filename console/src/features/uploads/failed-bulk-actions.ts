import type { UploadId } from "#contract/ids.ts";
import { MAX_BULK_IDS } from "#contract/limits.ts";
import { bulkRetry, deleteUpload } from "#contract/uploads.ts";
import { call } from "#console/lib/api-client.ts";
import { ApiError, messageOf } from "#console/lib/api-error.ts";
import { startBulkRun, type BulkFailures, type BulkOutcome } from "#console/lib/bulk-run.ts";
import { formatPlural } from "#console/lib/format.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { useRefreshUploads } from "./upload-actions.ts";
import { retryableIds, type FailedSelection } from "./use-failed-selection.ts";

/** Leaves connections for the console's other requests. */
const DELETES_AT_ONCE = 4;

export const RETRYING = "Retrying uploads";
export const DELETING = "Deleting uploads";

/** Bulk retry and delete, with progress and fixed toasts (docs/console.md#words). */
export function useFailedBulkActions() {
  const refresh = useRefreshUploads();

  async function retryAll(selection: FailedSelection): Promise<BulkOutcome<UploadId>> {
    let isAnswered = false;
    const outcome = await startBulkRun({
      verb: RETRYING,
      ids: retryableIds(selection),
      batchSize: MAX_BULK_IDS,
      atOnce: 1,
      async work(batch) {
        try {
          const { results } = await call(bulkRetry, { body: { ids: [...batch] } });
          isAnswered = true;
          return new Map(
            results.flatMap(({ id, ok, error }) => (ok ? [] : [[id, error ?? "Refused"] as const])),
          );
        } catch (error) {
          return allFailed(batch, error);
        }
      },
      reportTitle: (count) => `${formatPlural(count, "upload")} could not be retried`,
      nameOf: (id) => selection.get(id)?.name ?? id,
    });
    refresh();
    const { succeeded, failures } = outcome;
    if (succeeded > 0) toast.success(`Retry initiated for ${formatPlural(succeeded, "upload")}`);
    if (!isAnswered && failures.size > 0) toastError("Failed to initiate bulk retry");
    else if (failures.size > 0) {
      toastError(`Failed to retry ${formatPlural(failures.size, "upload")}`);
    }
    return outcome;
  }

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
      nameOf: (id) => selection.get(id)?.name ?? id,
    });
    refresh();
    const { succeeded, failures } = outcome;
    if (succeeded > 0) toast.success(`Deleted ${formatPlural(succeeded, "upload")}`);
    if (failures.size > 0) toastError("Failed to delete some uploads");
    return outcome;
  }

  return { retryAll, deleteAll };
}

function allFailed(batch: readonly UploadId[], error: unknown): BulkFailures<UploadId> {
  return new Map(batch.map((id) => [id, messageOf(error)]));
}
