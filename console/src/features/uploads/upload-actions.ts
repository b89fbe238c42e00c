import { useMutation, useMutationState, useQueryClient } from "@tanstack/react-query";
import type { UploadId } from "#contract/ids.ts";
import { retryUpload } from "#contract/uploads.ts";
import { allFailed } from "#console/domain/uploads/failure-actions.ts";
import { applyUpload, useRefreshUploads } from "#console/domain/uploads/live-updates.ts";
import { call } from "#console/lib/api-client.ts";
import { startBulkRun } from "#console/lib/bulk-run.ts";
import { formatPlural } from "#console/lib/format.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";

/** Of bulk runs with one call per upload. */
export const EACH_VERBS = { cancel: "Cancelling uploads", delete: "Deleting uploads" } as const;

/** Leaves connections for the console's other requests. */
const CALLS_AT_ONCE = 4;

/** Cancels or deletes uploads with one call each, with progress and fixed toasts (docs/console.md#words). */
export function useEachUpload(action: keyof typeof EACH_VERBS) {
  const refresh = useRefreshUploads();
  const done = action === "cancel" ? "Cancelled" : "Deleted";
  return async (
    ids: readonly UploadId[],
    nameOf: (id: UploadId) => string,
    send: (id: UploadId) => Promise<unknown>,
  ) => {
    const outcome = await startBulkRun({
      verb: EACH_VERBS[action],
      ids,
      batchSize: 1,
      atOnce: CALLS_AT_ONCE,
      work: (batch) =>
        Promise.all(batch.map(send)).then(
          () => new Map(),
          (error: unknown) => allFailed(batch, error),
        ),
      reportTitle: (count) => `${formatPlural(count, "upload")} could not be ${done.toLowerCase()}`,
      nameOf,
    }).finally(refresh);
    const { succeeded, failures } = outcome;
    if (succeeded > 0) toast.success(`${done} ${formatPlural(succeeded, "upload")}`);
    if (failures.size > 0) toastError(`Failed to ${action} some uploads`);
    return outcome;
  };
}

const RETRY_KEY = ["retry upload"] as const;

/** The uploads whose retry has not been answered yet. */
export function useRetrying(): readonly unknown[] {
  return useMutationState({
    filters: { mutationKey: RETRY_KEY, status: "pending" },
    select: ({ state }) => state.variables,
  });
}

export function useRetryUpload() {
  const queryClient = useQueryClient();
  const refresh = useRefreshUploads();
  return useMutation({
    mutationKey: RETRY_KEY,
    mutationFn: (id: UploadId) => call(retryUpload, { params: { id } }),
    onSuccess: (upload) => {
      applyUpload(queryClient, upload);
      toast.success("Upload retry initiated");
    },
    onError: () => toastError("Failed to retry upload"),
    onSettled: refresh,
  });
}
