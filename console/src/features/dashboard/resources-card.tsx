import type { UseQueryResult } from "@tanstack/react-query";
import { Cpu, Database, HardDrive } from "lucide-react";
import type { ReactNode } from "react";
import type { HealthStatus, SystemMetrics } from "#contract/system.ts";
import { R2_WARNING_PERCENT, utilizationPercent } from "#console/features/system/system-health.ts";
import { formatGigabytes, formatPlural } from "#console/lib/format.ts";
import { HealthBadge } from "#console/ui/health-badge.tsx";
import { Meter } from "#console/ui/progress.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { METRICS_POLL_MS } from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";

export function ResourcesCard({ metrics }: { readonly metrics: UseQueryResult<SystemMetrics> }) {
  return (
    <QueryCard
      title="System Resources"
      query={metrics}
      permission="read:system"
      intervalMs={METRICS_POLL_MS}
    >
      {({ cloudflare: { r2Storage, d1Database, workers } }) => (
        <ul className={styles.resources}>
          <Resource
            icon={<HardDrive aria-hidden="true" />}
            name="R2 storage"
            detail={`${formatGigabytes(r2Storage.usedGB)} used`}
            status={r2Storage.status}
          >
            <Meter
              label="R2 storage used"
              percent={utilizationPercent(r2Storage.utilization)}
              text={`${r2Storage.utilization} of the capacity`}
              tone={
                utilizationPercent(r2Storage.utilization) > R2_WARNING_PERCENT ? "warn" : "accent"
              }
            />
          </Resource>
          <Resource
            icon={<Database aria-hidden="true" />}
            name="D1 database"
            detail={formatPlural(d1Database.totalRecords, "total record")}
            status={d1Database.status}
          />
          <Resource
            icon={<Cpu aria-hidden="true" />}
            name="Workers"
            detail={workers.environment}
            status={workers.status}
          />
        </ul>
      )}
    </QueryCard>
  );
}

function Resource({
  icon,
  name,
  detail,
  status,
  children,
}: {
  readonly icon: ReactNode;
  readonly name: string;
  readonly detail: string;
  readonly status: HealthStatus;
  readonly children?: ReactNode;
}) {
  return (
    <li className={styles.resource}>
      {icon}
      <span>
        <strong>{name}</strong>
        <small>{detail}</small>
      </span>
      <HealthBadge status={status} />
      {children !== undefined && <span className={styles.wide}>{children}</span>}
    </li>
  );
}
