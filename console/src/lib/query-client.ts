import { createStore } from "@tanstack/react-store";
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";
import { serverStatus } from "./server-status.ts";

/** A younger answer is not refetched when its screen opens: it was prefetched. */
export const JUST_ANSWERED_MS = 2_000;

/**
 * Five minutes of staleness and one retry unless a query says otherwise
 * (docs/console.md#intervals). Hidden tabs do not poll; stale queries are refetched when the tab is
 * shown again.
 */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: failureKeepingCache(),
    defaultOptions: {
      queries: {
        staleTime: 5 * 60_000,
        retry: (failures, error) => failures < 1 && isWorthRetrying(error),
        // The default renders only for what was read of a result, and a part whose script is still
        // loading has read nothing: it would show its skeleton until the next poll. Nothing reads
        // whether an answer is stale, which changes by itself.
        notifyOnChangeProps: [
          "data",
          "dataUpdatedAt",
          "error",
          "fetchStatus",
          "isPlaceholderData",
          "status",
        ],
      },
    },
  });
  refetchAfterOutages(client);
  return client;
}

/** What failed while the server was away need not wait for its next poll. */
function refetchAfterOutages(client: QueryClient): void {
  let before = serverStatus.store.state;
  serverStatus.store.subscribe((status) => {
    const wasAway = before === "Offline";
    before = status;
    if (wasAway && status === "Online")
      void client.refetchQueries({
        type: "active",
        predicate: ({ state }) => state.status === "error",
      });
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

/**
 * TanStack Query forgets the error of a query without data when it tries again, so a failed part
 * would turn into its skeleton and back with each poll. Here it stays failed until it has an answer.
 */
function failureKeepingCache(): QueryCache {
  const errors = new WeakMap<object, Error>();
  const cache = new QueryCache({ onError: (error, query) => errors.set(query, error) });
  cache.subscribe((event) => {
    const { query } = event;
    // A screen that opens shows what it now finds.
    if (event.type === "observerAdded") errors.delete(query);
    if (event.type !== "updated" || event.action.type !== "fetch") return;
    const error = errors.get(query);
    if (error && query.state.data === undefined) query.setState({ error, status: "error" });
  });
  return cache;
}

/** Counts this user's own changes: lists show their effects at once, even under the pointer. */
export const ownChanges = createStore(0);

/** Call after an action of the user's that removes rows. */
export function showOwnChange(): void {
  ownChanges.setState((count) => count + 1);
}

/** When this user last asked for the newest rows, in `Date.now()`. */
export const refreshedAt = createStore(0);

/** Asks again for the user: lists show what they know and the answer, even under the pointer. */
export function refresh(query: { readonly refetch: () => Promise<unknown> }): void {
  refreshedAt.setState(() => Date.now());
  void query.refetch();
}
