import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getFile, type ObjectKey } from "#contract/files.ts";
import { MAX_VERIFIED_FILES } from "#contract/limits.ts";
import { verifyFiles } from "#contract/verification.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { formatPlural } from "#console/lib/format.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";

/** Asks that the bytes of files are read again. */
export function useVerifyFiles() {
  const queryClient = useQueryClient();
  return useMutation({
    async mutationFn(keys: readonly ObjectKey[]) {
      let files = 0;
      for (let start = 0; start < keys.length; start += MAX_VERIFIED_FILES) {
        const asked = keys.slice(start, start + MAX_VERIFIED_FILES);
        files += (await call(verifyFiles, { body: { keys: asked } })).files;
      }
      return files;
    },
    onSuccess: (files) => toast.success(`${formatPlural(files, "file")} will be verified now`),
    onError: (error) => toastError(messageOf(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(getFile).slice(0, 2) }),
  });
}
