import { focusManager, type RefetchOptions } from "@tanstack/react-query";
import { useEffect } from "react";

type Refetch = (options: RefetchOptions) => Promise<unknown>;

/**
 * Calls `refetch` at a fixed interval until the returned function is called. Does nothing in a
 * hidden tab or while an answer is pending.
 *
 * TanStack Query's own `refetchInterval` restarts with every write to the cache, so a steady stream
 * of live events would postpone polling forever.
 */
export function poll(refetch: Refetch, intervalMs: number): () => void {
  const timer = setInterval(() => {
    if (focusManager.isFocused()) void refetch({ cancelRefetch: false });
  }, intervalMs);
  return () => clearInterval(timer);
}

/** One missed poll may be chance; after three, the data is out of date. */
const MISSED_POLLS = 3;

export function isStale(updatedAtMs: number, intervalMs: number | false, nowMs: number): boolean {
  return intervalMs !== false && nowMs - updatedAtMs > MISSED_POLLS * intervalMs;
}

/** Polls a query; use it in one component per query. False pauses it. */
export function usePolling<Query extends { readonly refetch: Refetch }>(
  query: Query,
  intervalMs: number | false,
): Query {
  const { refetch } = query;
  useEffect(
    () => (intervalMs === false ? undefined : poll(refetch, intervalMs)),
    [refetch, intervalMs],
  );
  return query;
}
