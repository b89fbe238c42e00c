import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { confirmClock, systemMetrics } from "#contract/system.ts";
import { call } from "#console/lib/api-client.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { Button } from "#console/ui/button.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";

/** For after the service's clock has jumped; `reason` names both times. */
export function ConfirmClock({ reason }: { readonly reason: string }) {
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const disabledReason = useMissingPermission("write:system");
  return (
    <>
      <Button disabledReason={disabledReason} onClick={() => setAsking(true)}>
        Confirm Clock
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Confirm the clock"
          question={`${reason} Is the time right? What is too old by it will then be removed.`}
          confirmLabel="The time is right"
          onConfirm={async () => {
            await call(confirmClock);
            await queryClient.invalidateQueries({ queryKey: keyOf(systemMetrics) });
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
