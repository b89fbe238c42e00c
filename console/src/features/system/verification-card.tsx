import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { useState } from "react";
import { formatBytes } from "#contract/format-bytes.ts";
import { readVerification, verifyEverything } from "#contract/verification.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery, keyOf } from "#console/lib/call-query.ts";
import { formatPlural, formatUsd } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { Button } from "#console/ui/button.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { Facts } from "#console/ui/facts.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { Time } from "#console/ui/time.tsx";

/** docs/console.md#intervals */
const VERIFICATION_POLL_MS = 30_000;

/** How stored bytes are read again, at which cost, and what is left of what was asked for. */
export function VerificationCard() {
  const verification = usePolling(useQuery(callQuery(readVerification)), VERIFICATION_POLL_MS);
  const writeMissing = useMissingPermission("write:system");
  const [asking, setAsking] = useState(false);
  return (
    <QueryCard
      title="Verification"
      query={verification}
      permission="read:system"
      intervalMs={VERIFICATION_POLL_MS}
      actions={
        <Button
          icon={<CircleCheck />}
          disabled={verification.data === undefined}
          disabledReason={writeMissing}
          onClick={() => setAsking(true)}
        >
          Verify Everything
        </Button>
      }
    >
      {({
        cycleDays,
        bytesPerMonth,
        usdPerMonth,
        usdOnce,
        filesLeft,
        bytesLeft,
        oldestVerifiedAt,
      }) => (
        <>
          <Facts
            facts={[
              {
                name: "Every file is read",
                value: cycleDays === 0 ? "on request" : `once in ${formatPlural(cycleDays, "day")}`,
              },
              { name: "Read per month", value: formatBytes(bytesPerMonth) },
              { name: "Cost per month", value: costText(usdPerMonth) },
              {
                name: "Verified longest ago",
                value: (
                  <Time
                    at={oldestVerifiedAt}
                    absent={
                      cycleDays > 0 && bytesPerMonth === 0
                        ? "Nothing is stored"
                        : "Some files not yet"
                    }
                  />
                ),
              },
              {
                name: "Requested",
                value:
                  filesLeft === 0
                    ? "Nothing left"
                    : `${formatPlural(filesLeft, "file")} left, ${formatBytes(bytesLeft)}`,
              },
            ]}
          />
          {asking && <VerifyDialog usd={usdOnce} onClose={() => setAsking(false)} />}
        </>
      )}
    </QueryCard>
  );
}

function VerifyDialog({ usd, onClose }: { readonly usd: number; readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const ask = useMutation({
    mutationFn: () => call(verifyEverything),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keyOf(readVerification) }),
  });
  return (
    <ConfirmDialog
      title="Verify everything"
      question="Read every stored byte again, before the scrub's own turn?"
      confirmLabel="Verify"
      onConfirm={() => ask.mutateAsync()}
      onClose={onClose}
    >
      It goes on until all files are read, as fast as the store allows while no archive runs.
      Reading costs {costText(usd)}.
    </ConfirmDialog>
  );
}

/** An estimate at list prices. */
function costText(usd: number): string {
  return usd === 0 ? "nothing on this store" : `about ${formatUsd(usd)}`;
}
