import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { getPreferences, notificationConfig, notificationEvents } from "#contract/notifications.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery, keyOf } from "#console/lib/call-query.ts";

/** Deliveries are retried for minutes; their log is polled as often as other lists. */
export const LOG_POLL_MS = 30_000;

const LOG_PAGE_SIZE = 10;

export function preferencesQuery() {
  return callQuery(getPreferences);
}

export function configQuery() {
  return callQuery(notificationConfig);
}

export function deliveriesQuery(page: number) {
  return queryOptions({
    queryKey: [...keyOf(notificationEvents), page],
    queryFn: async ({ signal }) => {
      const offset = (page - 1) * LOG_PAGE_SIZE;
      const query = { limit: LOG_PAGE_SIZE, offset };
      const { events, total } = await call(notificationEvents, { query, signal });
      const hasNext = offset + LOG_PAGE_SIZE < total;
      return { items: events, total, page, limit: LOG_PAGE_SIZE, hasPrev: page > 1, hasNext };
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}
