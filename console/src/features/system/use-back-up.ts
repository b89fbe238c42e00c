import { useMutation, useQueryClient } from "@tanstack/react-query";
import { backUpNow, readBackups } from "#contract/backups.ts";
import { call } from "#console/lib/api-client.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { toastError } from "#console/ui/toast-error.ts";

export function useBackUp() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => call(backUpNow),
    onError: () => toastError("Failed to start a backup"),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(readBackups) }),
  });
}
