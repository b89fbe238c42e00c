import { useMutation, useQueryClient } from "@tanstack/react-query";
import { clearCache, restartWorkers, systemMetrics } from "#contract/system.ts";
import { call } from "#console/lib/api-client.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { lastRunQuery } from "./system-queries.ts";

export function useSystemActions() {
  const queryClient = useQueryClient();
  const clear = useMutation({
    mutationFn: () => call(clearCache),
    onSuccess: () => toast.success("Cache cleared successfully"),
    onError: () => toastError("Failed to clear cache"),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: lastRunQuery("cache.clear").queryKey }),
  });
  const restart = useMutation({
    mutationFn: () => call(restartWorkers),
    onSuccess: () => toast.success("Workers restarted successfully"),
    onError: () => toastError("Failed to restart workers"),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: keyOf(systemMetrics) });
      return queryClient.invalidateQueries({
        queryKey: lastRunQuery("workers.restart").queryKey,
      });
    },
  });
  return { clear, restart };
}
