import type { UseQueryResult } from "@tanstack/react-query";
import { Cpu, Database, HardDrive, KeyRound, ListOrdered } from "lucide-react";
import type { ReactNode } from "react";
import type { Health, SystemMetrics } from "#contract/system.ts";
import { HistorySparkline } from "#console/domain/system/history-sparkline.tsx";
import { formatGigabytes, formatPlural } from "#console/lib/format.ts";
import { HealthBadge } from "#console/ui/health-badge.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
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
      skeleton={<Parts cloudflare={undefined} />}
    >
      {({ cloudflare }) => <Parts cloudflare={cloudflare} />}
    </QueryCard>
  );
}

function Parts({ cloudflare }: { readonly cloudflare: SystemMetrics["cloudflare"] | undefined }) {
  const { workers, r2Storage, d1Database, queues } = cloudflare ?? {};
  return (
    <ul className={styles.parts}>
      <Part
        icon={<Cpu aria-hidden="true" />}
        name="Workers"
        detail={workers && `Environment: ${workers.environment}`}
        health={workers}
      />
      <Part
        icon={<HardDrive aria-hidden="true" />}
        name="R2 Storage"
        detail={
          r2Storage &&
          `${formatGigabytes(r2Storage.usedGB)} used, ${r2Storage.utilization} utilization`
        }
        health={r2Storage}
      >
        <HistorySparkline series="storedBytes" />
      </Part>
      <Part
        icon={<Database aria-hidden="true" />}
        name="D1 Database"
        detail={d1Database && formatPlural(d1Database.totalRecords, "total record")}
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
        health={queues?.vodResumeQueue}
      />
    </ul>
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
  /** Undefined while it loads, like its health. */
  readonly detail: string | undefined;
  readonly health: Health | undefined;
  /** Its history, if any. */
  readonly children?: ReactNode;
}) {
  return (
    <li className={styles.part}>
      {icon}
      <span>
        <strong className={styles.trended}>
          {name}
          {children}
        </strong>
        <small>{detail ?? <Skeleton width="9rem" />}</small>
        {health?.reason !== undefined && <small>{health.reason}</small>}
      </span>
      {health === undefined ? <Skeleton width="5rem" /> : <HealthBadge status={health.status} />}
    </li>
  );
}
