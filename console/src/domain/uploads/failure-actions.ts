import type { UploadId } from "#contract/ids.ts";
import { MAX_BULK_IDS } from "#contract/limits.ts";
import type { FailureClass } from "#contract/upload.ts";
import { bulkRetry, matchingUploadIds } from "#contract/uploads.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { startBulkRun, type BulkFailures } from "#console/lib/bulk-run.ts";
import { formatPlural } from "#console/lib/format.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { useRefreshUploads } from "./live-updates.ts";

export const RETRYING = "Retrying uploads";

type NameOf = (id: UploadId) => string;

/** Retries failed uploads, with progress and fixed toasts (docs/console.md#words). */
export function useFailureActions() {
  const refresh = useRefreshUploads();

  async function retry(ids: readonly UploadId[], nameOf: NameOf = (id) => id) {
    let isAnswered = false;
    const outcome = await startBulkRun({
      verb: RETRYING,
      ids,
      batchSize: MAX_BULK_IDS,
      atOnce: 1,
      nameOf,
      reportTitle: (count) => `${formatPlural(count, "upload")} could not be retried`,
      work: async (batch) => {
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
    }).finally(refresh);
    const { succeeded, failures } = outcome;
    if (succeeded > 0) toast.success(`Retry initiated for ${formatPlural(succeeded, "upload")}`);
    if (!isAnswered && failures.size > 0) toastError("Failed to initiate bulk retry");
    else if (failures.size > 0) {
      toastError(`Failed to retry ${formatPlural(failures.size, "upload")}`);
    }
    return outcome;
  }

  /** Retries all failures of one cause, as they are when it is called. */
  async function retryCause(failureClass: FailureClass): Promise<void> {
    try {
      const { items } = await call(matchingUploadIds, { query: { failureClass } });
      await retry(items.flatMap(({ id, canRetry }) => (canRetry ? [id] : [])));
    } catch (error) {
      toastError(`Failed to load the failed uploads. ${messageOf(error)}`);
    }
  }

  return { retry, retryCause };
}

export function allFailed(batch: readonly UploadId[], error: unknown): BulkFailures<UploadId> {
  return new Map(batch.map((id) => [id, messageOf(error)]));
}
