import { useMutation, useQueryClient } from "@tanstack/react-query";
import { clearCache, restartWorkers } from "#contract/system.ts";
import { call } from "#console/lib/api-client.ts";
import { tellFailure } from "#console/ui/tell-failure.ts";
import { toast } from "#console/ui/toast-store.ts";
import { lastRunKey, METRICS_KEY } from "./system-queries.ts";

export function useSystemActions() {
  const queryClient = useQueryClient();
  const clear = useMutation({
    mutationFn: () => call(clearCache),
    onSuccess: () => toast.success("Cache cleared successfully"),
    onError: () => tellFailure("Failed to clear cache"),
    onSettled: () => queryClient.invalidateQueries({ queryKey: lastRunKey("cache.clear") }),
  });
  const restart = useMutation({
    mutationFn: () => call(restartWorkers),
    onSuccess: () => toast.success("Workers restarted successfully"),
    onError: () => tellFailure("Failed to restart workers"),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: METRICS_KEY });
      return queryClient.invalidateQueries({ queryKey: lastRunKey("workers.restart") });
    },
  });
  return { clear, restart };
}
