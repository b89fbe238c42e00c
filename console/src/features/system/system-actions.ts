import { useMutation, useQueryClient } from "@tanstack/react-query";
import { examineSystem } from "#contract/examination.ts";
import { clearCache, restartWorkers, systemMetrics } from "#contract/system.ts";
import { call } from "#console/lib/api-client.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { lastRunQuery, type SystemAction } from "./system-queries.ts";

/** The service ends its checks within a minute. */
const EXAMINATION_TIMEOUT_MS = 65_000;

function useSystemAction<Result>(
  action: SystemAction,
  run: () => Promise<Result>,
  failure: string,
  onSuccess: (result: Result) => void,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess,
    onError: () => toastError(failure),
    onSettled: () => {
      if (action === "workers.restart")
        void queryClient.invalidateQueries({ queryKey: keyOf(systemMetrics) });
      return queryClient.invalidateQueries({ queryKey: lastRunQuery(action).queryKey });
    },
  });
}

export function useSystemActions() {
  return {
    clear: useSystemAction(
      "cache.clear",
      () => call(clearCache),
      "Failed to clear cache",
      () => toast.success("Cache cleared successfully"),
    ),
    restart: useSystemAction(
      "workers.restart",
      () => call(restartWorkers),
      "Failed to restart workers",
      () => toast.success("Workers restarted successfully"),
    ),
    examine: useSystemAction(
      "system.examine",
      () => call(examineSystem, { timeoutMs: EXAMINATION_TIMEOUT_MS }),
      "Failed to run the checks",
      ({ canArchive }) =>
        canArchive
          ? toast.success("A VOD could be archived whole")
          : toast.error("The checks found problems"),
    ),
  };
}
