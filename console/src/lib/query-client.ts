import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";

/** An answer this young is not asked for again when its screen opens: it came ahead of it. */
export const JUST_ANSWERED_MS = 2_000;

/**
 * Five minutes of staleness and one retry unless a query says otherwise
 * (docs/console.md#intervals). Nothing is polled in a hidden tab: whoever comes back to it sees what
 * has gone stale anew at once, not an interval later.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5 * 60_000,
        retry: (failures, error) => failures < 1 && isWorthRetrying(error),
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  });
}

/** A refusal stays a refusal; only silence, haste and the server's own faults may pass. */
function isWorthRetrying(error: unknown): boolean {
  return (
    !(error instanceof ApiError) ||
    error.status === null ||
    error.status === 429 ||
    error.status >= 500
  );
}
