import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { SystemHealth, SystemMetrics } from "#contract/system.ts";
import { useSystemHealth } from "#console/domain/system/system-health.ts";
import { VerdictIcon } from "#console/domain/system/platform-parts.tsx";
import { formatCount, formatGigabytes, formatUptime } from "#console/lib/format.ts";
import { classNames } from "#console/ui/class-names.ts";
import { Facts } from "#console/ui/facts.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { METRICS_POLL_MS } from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";

const VERDICTS: Readonly<Record<SystemHealth["status"] | "unknown", string>> = {
  healthy: "All systems operational",
  warning: "Performance issues detected",
  unhealthy: "Performance issues detected",
  unknown: "Status unknown",
};

export function SystemHealthCard({ metrics }: { readonly metrics: UseQueryResult<SystemMetrics> }) {
  const { status, reasons } = useSystemHealth(metrics.data);
  return (
    <QueryCard
      title="System Health"
      query={metrics}
      permission="read:system"
      intervalMs={METRICS_POLL_MS}
    >
      {(data) => (
        <>
          <Facts
            facts={[
              { name: "Uptime", value: formatUptime(data.uptime) },
              { name: "Total uploads", value: formatCount(data.totalUploads) },
              { name: "Active jobs", value: formatCount(data.activeUploads) },
              { name: "Storage used", value: formatGigabytes(data.cloudflare.r2Storage.usedGB) },
            ]}
          />
          <p className={classNames("row small strong", styles.verdict)}>
            <VerdictIcon status={status} />
            {VERDICTS[status]}
          </p>
          {/* The others stand under what needs attention. */}
          {reasons.map(
            ({ part, text, ...reason }) => reason.status === "unknown" && <p key={part}>{text}</p>,
          )}
          {reasons.length > 0 && <Link to="/system">Open System</Link>}
        </>
      )}
    </QueryCard>
  );
}
