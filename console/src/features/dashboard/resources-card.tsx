import type { UseQueryResult } from "@tanstack/react-query";
import { Cpu, Database, HardDrive } from "lucide-react";
import type { ReactNode } from "react";
import type { Health, SystemMetrics } from "#contract/system.ts";
import { R2_WARNING_PERCENT, utilizationPercent } from "#console/domain/system/system-health.ts";
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
            health={r2Storage}
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
            health={d1Database}
          />
          <Resource
            icon={<Cpu aria-hidden="true" />}
            name="Workers"
            detail={workers.environment}
            health={workers}
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
  health,
  children,
}: {
  readonly icon: ReactNode;
  readonly name: string;
  readonly detail: string;
  readonly health: Health;
  readonly children?: ReactNode;
}) {
  return (
    <li className={styles.resource}>
      {icon}
      <span>
        <strong>{name}</strong>
        <small>{detail}</small>
        {health.reason !== undefined && <small>{health.reason}</small>}
      </span>
      <HealthBadge status={health.status} />
      {children !== undefined && <span className={styles.wide}>{children}</span>}
    </li>
  );
}
