import { useMutation, useQueryClient } from "@tanstack/react-query";
import { changeWebhook, listWebhooks, testWebhook, type Webhook } from "#contract/webhooks.ts";
import { ApiError, refusalOf } from "#console/lib/api-error.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery, keyOf } from "#console/lib/call-query.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";

export function webhooksQuery() {
  return callQuery(listWebhooks);
}

/** Also refreshes the deliveries, which are below the list's path. */
export function useRefreshWebhooks(): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: keyOf(listWebhooks) });
}

export function useSwitchWebhook() {
  const refresh = useRefreshWebhooks();
  return useMutation({
    mutationFn: ({ id, name, events, isEnabled }: Webhook) =>
      call(changeWebhook, {
        params: { id },
        body: { name, events, isEnabled: !isEnabled, replaces: { name, events, isEnabled } },
      }),
    onSuccess: ({ isEnabled }) => toast.success(`Webhook switched ${isEnabled ? "on" : "off"}`),
    onError: (error) => toastError(refusalOf(error, "Failed to change the webhook")),
    onSettled: refresh,
  });
}

/** A receiver's refusal is an answer, not an error. */
export function useTestWebhook() {
  return useMutation({
    mutationFn: (id: string) => call(testWebhook, { params: { id } }),
    onError: (error) => toastError(refusalOf(error, "Failed to send the test")),
  });
}

/** The fault of one field, as a sentence. */
export function faultOf(error: unknown, field: string): string | undefined {
  const fault = error instanceof ApiError ? error.details[field] : undefined;
  return fault && `This ${fault}.`;
}
