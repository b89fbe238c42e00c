import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { NotificationId } from "#contract/ids.ts";
import { browserNotifications, markNotificationsRead } from "#contract/browser-notifications.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery, keyOf } from "#console/lib/call-query.ts";

/** The upload stream announces new ones at once; the other screens poll. */
export const INBOX_POLL_MS = 30_000;

export function inboxQuery() {
  return { ...callQuery(browserNotifications), staleTime: 0 };
}

export function useMarkRead() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (notificationIds: NotificationId[]) =>
      call(markNotificationsRead, { body: { notificationIds } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(browserNotifications) }),
  });
}
