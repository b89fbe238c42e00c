import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  acknowledgeAlert,
  costAlerts,
  setBudget,
  setThreshold,
  thresholds,
} from "#contract/costs.ts";
import type { BodyOf } from "#contract/call.ts";
import type { AlertId, ThresholdId } from "#contract/ids.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { toastError } from "#console/ui/toast-error.ts";
import { toast } from "#console/ui/toast-store.ts";
import { checkForAlerts } from "./cost-queries.ts";

export function useAcknowledge() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: AlertId) => call(acknowledgeAlert, { params: { id } }),
    onSuccess: () => toast.success("Alert acknowledged"),
    onError: (error) => toastError(messageOf(error, "Failed to acknowledge alert")),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(costAlerts) }),
  });
}

/** The manual check; unlike the automatic one, it also reports when nothing was found. */
export function useCheckAlerts() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => checkForAlerts(queryClient),
    onSuccess: (found) => {
      if (found === 0) toast.success("No new cost alerts");
    },
    onError: (error) => toastError(messageOf(error, "Failed to check for new alerts")),
  });
}

export function useSetBudget() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyOf<typeof setBudget>) => call(setBudget, { body }),
    onSuccess: () => toast.success("Budget updated"),
    // Thresholds may be percentages of the budget.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["cost-alerts"] }),
  });
}

export function useSetThreshold() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: BodyOf<typeof setThreshold> & { readonly id: ThresholdId }) =>
      call(setThreshold, { params: { id }, body }),
    onSuccess: () => toast.success("Threshold updated"),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(thresholds) }),
  });
}
