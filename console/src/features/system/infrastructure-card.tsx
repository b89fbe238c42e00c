import type { UseQueryResult } from "@tanstack/react-query";
import { Cpu, Database, HardDrive, KeyRound, ListOrdered } from "lucide-react";
import type { ReactNode } from "react";
import type { HealthStatus, SystemMetrics } from "#contract/system.ts";
import { formatGigabytes, formatPlural } from "#console/lib/format.ts";
import { HealthBadge } from "#console/ui/health-badge.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { HistorySparkline } from "./history-sparkline.tsx";
import { METRICS_POLL_MS } from "./system-queries.ts";
import styles from "./system.module.css";

export function InfrastructureCard({
  metrics,
}: {
  readonly metrics: UseQueryResult<SystemMetrics>;
}) {
  return (
    <QueryCard
      title="Cloud Infrastructure"
      query={metrics}
      permission="read:system"
      intervalMs={METRICS_POLL_MS}
    >
      {({ cloudflare: { workers, r2Storage, d1Database, queues } }) => (
        <ul className={styles.parts}>
          <Part
            icon={<Cpu aria-hidden="true" />}
            name="Workers"
            detail={`Environment: ${workers.environment}`}
            status={workers.status}
          />
          <Part
            icon={<HardDrive aria-hidden="true" />}
            name="R2 Storage"
            detail={`${formatGigabytes(r2Storage.usedGB)} used, ${r2Storage.utilization} utilization`}
            status={r2Storage.status}
          >
            <HistorySparkline series="storedBytes" />
          </Part>
          <Part
            icon={<Database aria-hidden="true" />}
            name="D1 Database"
            detail={formatPlural(d1Database.totalRecords, "total record")}
            status={d1Database.status}
          />
          {/* A fixed text (docs/console.md#warnings): nothing measures it. */}
          <Part
            icon={<KeyRound aria-hidden="true" />}
            name="KV Namespaces"
            detail="5 namespaces active"
            status="healthy"
          />
          <Part
            icon={<ListOrdered aria-hidden="true" />}
            name="Queue"
            detail="VOD Resume Queue"
            status={queues.vodResumeQueue.status}
          />
        </ul>
      )}
    </QueryCard>
  );
}

function Part({
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
  /** Its history, where it has one. */
  readonly children?: ReactNode;
}) {
  return (
    <li className={styles.part}>
      {icon}
      <span>
        <strong>{name}</strong>
        <small>{detail}</small>
      </span>
      <span className={styles.trended}>
        {children}
        <HealthBadge status={status} />
      </span>
    </li>
  );
}
