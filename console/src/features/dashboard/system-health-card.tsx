import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CircleHelp, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { SystemHealth, SystemMetrics } from "#contract/system.ts";
import { useSystemHealth } from "#console/domain/system/system-health.ts";
import { formatCount, formatGigabytes, formatUptime } from "#console/lib/format.ts";
import { classNames } from "#console/ui/class-names.ts";
import { Facts } from "#console/ui/facts.tsx";
import layout from "#console/ui/layout.module.css";
import { QueryCard } from "#console/ui/query-card.tsx";
import { METRICS_POLL_MS } from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";

const VERDICTS: Readonly<
  Record<SystemHealth["status"] | "unknown", { readonly text: string; readonly icon: ReactNode }>
> = {
  healthy: {
    text: "All systems operational",
    icon: <CircleCheck aria-hidden="true" className={styles.good} />,
  },
  warning: {
    text: "Performance issues detected",
    icon: <TriangleAlert aria-hidden="true" className={styles.warn} />,
  },
  unhealthy: {
    text: "Performance issues detected",
    icon: <CircleAlert aria-hidden="true" className={styles.bad} />,
  },
  unknown: { text: "Status unknown", icon: <CircleHelp aria-hidden="true" /> },
};

export function SystemHealthCard({ metrics }: { readonly metrics: UseQueryResult<SystemMetrics> }) {
  const { status, reasons } = useSystemHealth(metrics.data);
  const verdict = VERDICTS[status];
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
          <p className={classNames(layout.row, layout.small, layout.strong, styles.verdict)}>
            {verdict.icon}
            {verdict.text}
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
