import { useIsMutating, useMutation, useQueryClient, type Mutation } from "@tanstack/react-query";
import type { UploadId } from "#contract/ids.ts";
import { retryUpload } from "#contract/uploads.ts";
import { applyUpload } from "#console/domain/uploads/live-updates.ts";
import { call } from "#console/lib/api-client.ts";
import { showOwnChange } from "#console/lib/query-client.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";

/** Refreshes what any upload's change affects: the lists and the dashboard's counts. */
export function useRefreshUploads() {
  const queryClient = useQueryClient();
  return () => {
    showOwnChange();
    void queryClient.invalidateQueries({ queryKey: ["uploads"] });
    void queryClient.invalidateQueries({ queryKey: ["dashboard"] });
  };
}

const RETRY_KEY = ["retry upload"] as const;

/** Whether a retry of this upload has not been answered yet. */
export function useIsRetrying(id: UploadId): boolean {
  const isOfUpload = ({ state }: Mutation) => state.variables === id;
  return useIsMutating({ mutationKey: RETRY_KEY, predicate: isOfUpload }) > 0;
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
