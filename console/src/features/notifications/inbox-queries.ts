import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { NotificationId } from "#contract/ids.ts";
import { browserNotifications, markNotificationsRead } from "#contract/browser-notifications.ts";
import { call } from "#console/lib/api-client.ts";
import type { notificationKeys } from "#console/lib/query-keys.ts";

/** The upload stream announces new ones at once; the other screens poll. */
export const INBOX_POLL_MS = 30_000;

/** The bell is in the entry script, which needs no other keys. */
const INBOX_KEY: typeof notificationKeys.inbox = ["notifications", "inbox"];

export function inboxQuery() {
  return queryOptions({
    queryKey: INBOX_KEY,
    queryFn: ({ signal }) => call(browserNotifications, { signal }),
    staleTime: 0,
  });
}

export function useMarkRead() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (notificationIds: NotificationId[]) =>
      call(markNotificationsRead, { body: { notificationIds } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: INBOX_KEY }),
  });
}
