import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getFile, type ObjectKey } from "#contract/files.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { formatPlural } from "#console/lib/format.ts";
import { loadScript } from "#console/lib/load-script.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";

/** Asks that the bytes of files are read again; loads the call when it is needed. */
export function useVerifyFiles() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (keys: readonly ObjectKey[]) =>
      (await loadScript(() => import("./ask-verification.ts"))).askVerification(keys),
    onSuccess: (files) => toast.success(`${formatPlural(files, "file")} will be verified now`),
    onError: (error) => toastError(messageOf(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(getFile).slice(0, 2) }),
  });
}
