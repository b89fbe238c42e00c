import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type EventType } from "#contract/notification-events.ts";
import { browserNotifications } from "#contract/browser-notifications.ts";
import {
  getPreferences,
  notificationEvents,
  setPreferences,
  testEvent,
  testTelegram,
} from "#contract/notifications.ts";
import { call } from "#console/lib/api-client.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { preferencesOf, type PreferenceDraft } from "./preference-draft.ts";
import { refusalText } from "./refused-fields.ts";

export function useSavePreferences() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (draft: PreferenceDraft) =>
      call(setPreferences, { body: { preferences: preferencesOf(draft) } }),
    onSuccess: (saved) => {
      queryClient.setQueryData(keyOf(getPreferences), saved);
      toast.success("Notification preferences updated successfully");
    },
    onError: (error) => toastError(refusalText(error, "Failed to update preferences")),
  });
}

export function useTelegramTest() {
  return useMutation({
    mutationFn: (telegramUserId: string) => call(testTelegram, { body: { telegramUserId } }),
    onSuccess: () => toast.success("Test message sent to Telegram successfully!"),
    onError: (error) => toastError(refusalText(error, "Failed to send test message")),
  });
}

export function useEventTest() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (type: EventType) => call(testEvent, { params: { type } }),
    onSuccess: () => toast.success("Test notification sent successfully!"),
    onError: (error) => toastError(refusalText(error, "Failed to send test notification")),
    onSettled: () => {
      for (const which of [notificationEvents, browserNotifications])
        void queryClient.invalidateQueries({ queryKey: keyOf(which) });
    },
  });
}
