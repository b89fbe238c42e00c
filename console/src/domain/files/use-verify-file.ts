import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getFile, type ObjectKey } from "#contract/files.ts";
import { verifyFile } from "#contract/verification.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";

/** Asks that the bytes of a file are read again. */
export function useVerifyFile() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (key: ObjectKey) => call(verifyFile, { body: { key } }),
    onSuccess: () => toast.success("The file will be verified now"),
    onError: (error) => toastError(messageOf(error)),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(getFile).slice(0, 2) }),
  });
}
