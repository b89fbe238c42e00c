import { notifyManager, useQueryClient, type QueryFilters } from "@tanstack/react-query";
import { createContext, useCallback, useSyncExternalStore } from "react";

/** Queries on this screen that failed and have nothing to show. */
export const FAILED: QueryFilters = {
  type: "active",
  predicate: ({ state }) => state.status === "error" && state.data === undefined,
};

/** True below a page whose banner speaks for all of its failed parts. */
export const SharedFailure = createContext(false);

/** True if several parts of the screen fail, so that one message serves all of them. */
export function useManyFailed(): boolean {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback(
    (onChange: () => void) => cache.subscribe(notifyManager.batchCalls(onChange)),
    [cache],
  );
  return useSyncExternalStore(subscribe, () => cache.findAll(FAILED).length > 1);
}
