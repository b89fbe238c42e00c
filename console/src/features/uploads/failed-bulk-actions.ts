import type { UploadId } from "#contract/ids.ts";
import { MAX_BULK_IDS } from "#contract/limits.ts";
import { bulkRetry, deleteUpload } from "#contract/uploads.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { useBulkRun, type BulkFailures, type BulkOutcome } from "#console/lib/bulk-run.ts";
import { formatPlural } from "#console/lib/format.ts";
import { tellFailure } from "#console/ui/tell-failure.ts";
import { toast } from "#console/ui/toast-store.ts";
import { useRefreshUploads } from "./upload-actions.ts";

/** Leaves connections for the console's other requests. */
const DELETES_AT_ONCE = 4;

/** Bulk retry and delete, with progress and fixed toasts (docs/console.md#words). */
export function useFailedBulkActions() {
  const refresh = useRefreshUploads();
  const { progress, run, stop } = useBulkRun();

  async function retryAll(ids: readonly UploadId[]): Promise<BulkOutcome<UploadId>> {
    let isAnswered = false;
    const outcome = await run({
      verb: "Retrying",
      ids,
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
    });
    refresh();
    const { succeeded, failures } = outcome;
    if (succeeded > 0) toast.success(`Retry initiated for ${formatPlural(succeeded, "upload")}`);
    if (!isAnswered && failures.size > 0) tellFailure("Failed to initiate bulk retry");
    else if (failures.size > 0) {
      tellFailure(`Failed to retry ${formatPlural(failures.size, "upload")}`);
    }
    return outcome;
  }

  async function deleteAll(
    ids: readonly UploadId[],
    file: "delete" | undefined,
  ): Promise<BulkOutcome<UploadId>> {
    const outcome = await run({
      verb: "Deleting",
      ids,
      batchSize: 1,
      atOnce: DELETES_AT_ONCE,
      async work(batch) {
        try {
          for (const id of batch)
            await call(deleteUpload, { params: { id }, query: { ifStatus: "failed", file } });
          return new Map();
        } catch (error) {
          return allFailed(batch, error);
        }
      },
    });
    refresh();
    const { succeeded, failures } = outcome;
    if (succeeded > 0) toast.success(`Deleted ${formatPlural(succeeded, "upload")}`);
    if (failures.size > 0) tellFailure("Failed to delete some uploads");
    return outcome;
  }

  return { progress, stop, retryAll, deleteAll };
}

function allFailed(batch: readonly UploadId[], error: unknown): BulkFailures<UploadId> {
  return new Map(batch.map((id) => [id, messageOf(error)]));
}
