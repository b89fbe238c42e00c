import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { getPreferences, notificationConfig, notificationEvents } from "#contract/notifications.ts";
import { call } from "#console/lib/api-client.ts";

/** Deliveries are retried for minutes; their log is polled as often as other lists. */
export const LOG_POLL_MS = 30_000;

export const LOG_PAGE_SIZE = 10;

export const PREFERENCES_KEY = ["notifications", "preferences"] as const;
export const LOG_KEY = ["notifications", "log"] as const;

export function preferencesQuery() {
  return queryOptions({
    queryKey: PREFERENCES_KEY,
    queryFn: ({ signal }) => call(getPreferences, { signal }),
  });
}

export function configQuery() {
  return queryOptions({
    queryKey: ["notifications", "config"] as const,
    queryFn: ({ signal }) => call(notificationConfig, { signal }),
  });
}

export function deliveriesQuery(page: number) {
  return queryOptions({
    queryKey: [...LOG_KEY, page] as const,
    queryFn: ({ signal }) =>
      call(notificationEvents, {
        query: { limit: LOG_PAGE_SIZE, offset: (page - 1) * LOG_PAGE_SIZE },
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}
