import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type EventType } from "#contract/notification-events.ts";
import {
  setPreferences,
  testEvent,
  testTelegram,
  type NotificationPreferences,
} from "#contract/notifications.ts";
import { call } from "#console/lib/api-client.ts";
import { tellFailure } from "#console/ui/tell-failure.ts";
import { toast } from "#console/ui/toast-store.ts";
import { LOG_KEY, PREFERENCES_KEY } from "./notification-queries.ts";
import { refusalText } from "./refused-fields.ts";

export function useSavePreferences() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (preferences: NotificationPreferences) =>
      call(setPreferences, { body: { preferences } }),
    onSuccess: (saved) => {
      queryClient.setQueryData(PREFERENCES_KEY, saved);
      toast.success("Notification preferences updated successfully");
    },
    onError: (error) => tellFailure(refusalText(error, "Failed to update preferences")),
  });
}

export function useTelegramTest() {
  return useMutation({
    mutationFn: (telegramUserId: string) => call(testTelegram, { body: { telegramUserId } }),
    onSuccess: () => toast.success("Test message sent to Telegram successfully!"),
    onError: (error) => tellFailure(refusalText(error, "Failed to send test message")),
  });
}

export function useEventTest() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (type: EventType) => call(testEvent, { params: { type } }),
    onSuccess: () => toast.success("Test notification sent successfully!"),
    onError: (error) => tellFailure(refusalText(error, "Failed to send test notification")),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: LOG_KEY });
      void queryClient.invalidateQueries({ queryKey: ["notifications", "browser"] });
    },
  });
}
