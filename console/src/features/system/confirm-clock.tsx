import { useQueryClient } from "@tanstack/react-query";
import { confirmClock, systemMetrics } from "#contract/system.ts";
import { call } from "#console/lib/api-client.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { ConfirmButton } from "./confirm-button.tsx";

/** For after the service's clock has jumped; `reason` names both times. */
export function ConfirmClock({ reason }: { readonly reason: string }) {
  const queryClient = useQueryClient();
  const disabledReason = useMissingPermission("write:system");
  return (
    <ConfirmButton
      button={{ disabledReason, children: "Confirm Clock" }}
      title="Confirm the clock"
      question={`${reason} Is the time right? What is too old by it will then be removed.`}
      confirmLabel="The time is right"
      onConfirm={async () => {
        await call(confirmClock);
        await queryClient.invalidateQueries({ queryKey: keyOf(systemMetrics) });
      }}
    />
  );
}
