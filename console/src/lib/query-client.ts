import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/** A younger answer is not refetched when its screen opens: it was prefetched. */
export const JUST_ANSWERED_MS = 2_000;

/**
 * Five minutes of staleness and one retry unless a query says otherwise
 * (docs/console.md#intervals). Hidden tabs do not poll; stale queries are refetched when the tab is
 * shown again.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5 * 60_000,
        retry: (failures, error) => failures < 1 && isWorthRetrying(error),
        refetchOnWindowFocus: true,
        // The default renders only for what was read of a result, and a part whose script is still
        // loading has read nothing: it would show its skeleton until the next poll.
        notifyOnChangeProps: "all",
      },
      mutations: { retry: false },
    },
  });
}

/** 4xx answers are final, except 429; network errors, timeouts and 5xx may pass. */
function isWorthRetrying(error: unknown): boolean {
  return (
    !(error instanceof ApiError) ||
    error.status === null ||
    error.status === 429 ||
    error.status >= 500
  );
}
