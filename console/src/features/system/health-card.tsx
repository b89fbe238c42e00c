import { useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import {
  confirmClock,
  systemMetrics,
  type SystemHealth,
  type SystemMetrics,
} from "#contract/system.ts";
import { useSystemHealth } from "#console/domain/system/system-health.ts";
import { VerdictIcon } from "#console/domain/system/platform-parts.tsx";
import { call } from "#console/lib/api-client.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { formatCount, formatUptime } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { toneStyle } from "#console/ui/badge.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Facts } from "#console/ui/facts.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { ConfirmButton } from "./confirm-button.tsx";
import { METRICS_POLL_MS } from "./system-queries.ts";
import styles from "./system.module.css";

const HEADLINES: Readonly<Record<SystemHealth["status"] | "unknown", string>> = {
  healthy: "All Systems Operational",
  warning: "Performance Issues Detected",
  unhealthy: "Performance Issues Detected",
  unknown: "Status Unknown",
};

export function HealthCard({ metrics }: { readonly metrics: UseQueryResult<SystemMetrics> }) {
  return (
    <QueryCard
      title="System Health"
      query={metrics}
      permission="read:system"
      intervalMs={METRICS_POLL_MS}
      before={<Headline metrics={metrics.data} />}
      skeleton={<HealthFacts metrics={undefined} />}
    >
      {(data) => <HealthFacts metrics={data} />}
    </QueryCard>
  );
}

function HealthFacts({ metrics }: { readonly metrics: SystemMetrics | undefined }) {
  return (
    <Facts
      facts={[
        { name: "Uptime", value: metrics && formatUptime(metrics.uptime) },
        { name: "Active Jobs", value: metrics && formatCount(metrics.activeUploads) },
        { name: "Total Uploads", value: metrics && formatCount(metrics.totalUploads) },
        { name: "Failed Uploads", value: metrics && formatCount(metrics.failedUploads) },
      ]}
    />
  );
}

function Headline({ metrics }: { readonly metrics: SystemMetrics | undefined }) {
  const { status, reasons } = useSystemHealth(metrics);
  return (
    <>
      <p className={classNames("row", styles.headline)} role="status">
        <VerdictIcon status={status} />
        {HEADLINES[status]}
      </p>
      {reasons.length > 0 && (
        <ul className={classNames("small callout", styles.reasons)} style={toneStyle("warn")}>
          {reasons.map(({ part, text }) => (
            <li key={part}>
              {text} {part === "clock" && <ConfirmClock reason={text} />}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** For after the service's clock has jumped; `reason` names both times. */
function ConfirmClock({ reason }: { readonly reason: string }) {
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
