import type { UseQueryResult } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, CircleHelp, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { SystemHealth, SystemMetrics } from "#contract/system.ts";
import { useSystemHealth } from "#console/domain/system/system-health.ts";
import { formatCount, formatUptime } from "#console/lib/format.ts";
import { classNames } from "#console/ui/class-names.ts";
import { Facts } from "#console/ui/facts.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { METRICS_POLL_MS } from "./system-queries.ts";
import styles from "./system.module.css";

const HEADLINES: Readonly<
  Record<SystemHealth["status"] | "unknown", { readonly text: string; readonly icon: ReactNode }>
> = {
  healthy: { text: "All Systems Operational", icon: <CircleCheck aria-hidden="true" /> },
  warning: { text: "Performance Issues Detected", icon: <TriangleAlert aria-hidden="true" /> },
  unhealthy: { text: "Performance Issues Detected", icon: <CircleAlert aria-hidden="true" /> },
  unknown: { text: "Status Unknown", icon: <CircleHelp aria-hidden="true" /> },
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
  const { text, icon } = HEADLINES[status];
  return (
    <>
      <p className={classNames(styles.headline, styles[status])} role="status">
        {icon}
        {text}
      </p>
      {reasons.length > 0 && (
        <ul className={styles.reasons}>
          {reasons.map(({ part, text: reason }) => (
            <li key={part}>{reason}</li>
          ))}
        </ul>
      )}
    </>
  );
}
