import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { formatBytes } from "#contract/format-bytes.ts";
import { readVerification, verifyEverything } from "#contract/verification.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery, keyOf } from "#console/lib/call-query.ts";
import { hasBill } from "#console/lib/deployment.ts";
import { formatPlural, formatUsd } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { ConfirmButton } from "./confirm-button.tsx";
import { Facts } from "#console/ui/facts.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { Time } from "#console/ui/time.tsx";

/** docs/console.md#intervals */
const VERIFICATION_POLL_MS = 30_000;

/** How stored bytes are read again, at which cost, and what is left of what was asked for. */
export function VerificationCard({
  isAsked,
  onAnswered,
}: {
  /** Whether to verify everything. */
  readonly isAsked: boolean;
  readonly onAnswered: () => void;
}) {
  const verification = usePolling(useQuery(callQuery(readVerification)), VERIFICATION_POLL_MS);
  const writeMissing = useMissingPermission("write:system");
  const queryClient = useQueryClient();
  return (
    <QueryCard
      title="Verification"
      query={verification}
      permission="read:system"
      intervalMs={VERIFICATION_POLL_MS}
      actions={
        <ConfirmButton
          button={{
            icon: <CircleCheck />,
            disabled: verification.data === undefined,
            disabledReason: writeMissing,
            children: "Verify Everything",
          }}
          isAsked={isAsked && verification.data !== undefined && writeMissing === undefined}
          onAnswered={onAnswered}
          title="Verify everything"
          question="Read every stored byte again, before the scrub's own turn?"
          confirmLabel="Verify"
          onConfirm={async () => {
            await call(verifyEverything);
            await queryClient.invalidateQueries({ queryKey: keyOf(readVerification) });
          }}
        >
          It goes on until all files are read, as fast as the store allows while no archive runs.
          {hasBill() && ` Reading costs ${costText(verification.data?.usdOnce ?? 0)}.`}
        </ConfirmButton>
      }
    >
      {({ cycleDays, bytesPerMonth, usdPerMonth, filesLeft, bytesLeft, oldestVerifiedAt }) => (
        <Facts
          facts={[
            {
              name: "Every file is read",
              value: cycleDays === 0 ? "on request" : `once in ${formatPlural(cycleDays, "day")}`,
            },
            { name: "Read per month", value: formatBytes(bytesPerMonth) },
            ...(hasBill() ? [{ name: "Cost per month", value: costText(usdPerMonth) }] : []),
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
      )}
    </QueryCard>
  );
}

/** An estimate at list prices. */
function costText(usd: number): string {
  return usd === 0 ? "nothing on this store" : `about ${formatUsd(usd)}`;
}
