import type { UseQueryResult } from "@tanstack/react-query";
import { Cpu, Database, HardDrive, KeyRound, ListOrdered } from "lucide-react";
import type { ReactNode } from "react";
import type { Health, SystemMetrics } from "#contract/system.ts";
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
            health={workers}
          />
          <Part
            icon={<HardDrive aria-hidden="true" />}
            name="R2 Storage"
            detail={`${formatGigabytes(r2Storage.usedGB)} used, ${r2Storage.utilization} utilization`}
            health={r2Storage}
          >
            <HistorySparkline series="storedBytes" />
          </Part>
          <Part
            icon={<Database aria-hidden="true" />}
            name="D1 Database"
            detail={formatPlural(d1Database.totalRecords, "total record")}
            health={d1Database}
          />
          {/* A fixed text (docs/console.md#warnings): nothing measures it. */}
          <Part
            icon={<KeyRound aria-hidden="true" />}
            name="KV Namespaces"
            detail="5 namespaces active"
            health={{ status: "healthy" }}
          />
          <Part
            icon={<ListOrdered aria-hidden="true" />}
            name="Queue"
            detail="VOD Resume Queue"
            health={queues.vodResumeQueue}
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
  health,
  children,
}: {
  readonly icon: ReactNode;
  readonly name: string;
  readonly detail: string;
  readonly health: Health;
  /** Its history, if any. */
  readonly children?: ReactNode;
}) {
  return (
    <li className={styles.part}>
      {icon}
      <span>
        <strong>{name}</strong>
        <small>{detail}</small>
        {health.reason !== undefined && <small>{health.reason}</small>}
      </span>
      <span className={styles.trended}>
        {children}
        <HealthBadge status={health.status} />
      </span>
    </li>
  );
}
