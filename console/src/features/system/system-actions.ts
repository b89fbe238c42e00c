import { useMutation, useQueryClient } from "@tanstack/react-query";
import { examineSystem } from "#contract/examination.ts";
import { clearCache, restartWorkers, systemMetrics } from "#contract/system.ts";
import { call } from "#console/lib/api-client.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { lastRunQuery } from "./system-queries.ts";

/** The service ends its checks within a minute. */
const EXAMINATION_TIMEOUT_MS = 65_000;

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
  const examine = useMutation({
    mutationFn: () => call(examineSystem, { timeoutMs: EXAMINATION_TIMEOUT_MS }),
    onSuccess: ({ canArchive }) =>
      canArchive
        ? toast.success("A VOD could be archived whole")
        : toast.error("The checks found problems"),
    onError: () => toastError("Failed to run the checks"),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: lastRunQuery("system.examine").queryKey }),
  });
  return { clear, restart, examine };
}
