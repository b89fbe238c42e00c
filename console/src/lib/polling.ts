import { focusManager, type RefetchOptions } from "@tanstack/react-query";
import { useEffect } from "react";

type Refetch = (options: RefetchOptions) => Promise<unknown>;

/**
 * Calls `refetch` at a fixed pace until the returned function is called. A hidden tab asks for
 * nothing, and an answer that is still on its way is waited for.
 *
 * TanStack Query's own `refetchInterval` starts over with every write to the cache, so a steady
 * stream of live events would put the next poll off for ever.
 */
export function poll(refetch: Refetch, intervalMs: number): () => void {
  const timer = setInterval(() => {
    if (focusManager.isFocused()) void refetch({ cancelRefetch: false });
  }, intervalMs);
  return () => clearInterval(timer);
}

/** Polls a query; one component per query is enough. False pauses it. */
export function usePolling({ refetch }: { readonly refetch: Refetch }, intervalMs: number | false) {
  useEffect(
    () => (intervalMs === false ? undefined : poll(refetch, intervalMs)),
    [refetch, intervalMs],
  );
}
