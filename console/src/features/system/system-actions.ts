import { useMutation, useQueryClient } from "@tanstack/react-query";
import { clearCache, restartWorkers } from "#contract/system.ts";
import { call } from "#console/lib/api-client.ts";
import { auditKeys, systemKeys } from "#console/lib/query-keys.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";

export function useSystemActions() {
  const queryClient = useQueryClient();
  const clear = useMutation({
    mutationFn: () => call(clearCache),
    onSuccess: () => toast.success("Cache cleared successfully"),
    onError: () => toastError("Failed to clear cache"),
    onSettled: () => queryClient.invalidateQueries({ queryKey: auditKeys.lastRun("cache.clear") }),
  });
  const restart = useMutation({
    mutationFn: () => call(restartWorkers),
    onSuccess: () => toast.success("Workers restarted successfully"),
    onError: () => toastError("Failed to restart workers"),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: systemKeys.metrics });
      return queryClient.invalidateQueries({ queryKey: auditKeys.lastRun("workers.restart") });
    },
  });
  return { clear, restart };
}
