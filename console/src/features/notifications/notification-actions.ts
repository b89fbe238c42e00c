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
import { ApiError, refusalOf } from "#console/lib/api-error.ts";
import { call } from "#console/lib/api-client.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { preferencesOf, type PreferenceDraft } from "./preference-draft.ts";

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

const FIELD_LABELS: ReadonlyMap<string, string> = new Map([
  ["telegramUserId", "Telegram User ID"],
  ["telegramUsername", "Telegram Username"],
  ["email", "Email Address"],
]);

/** Errors by field name. */
export function refusedFields(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  const prefix = "preferences.";
  return Object.fromEntries(
    Object.entries(error.details).map(([path, fault]) => [path.replace(prefix, ""), fault]),
  );
}

/** The service's message, with a field named by its label in the form. */
export function refusalText(error: unknown, fallback: string): string {
  for (const [name, fault] of Object.entries(refusedFields(error))) {
    const label = FIELD_LABELS.get(name);
    if (label !== undefined) return `${label} ${fault}.`;
  }
  return refusalOf(error, fallback);
}
