import type { UseQueryResult } from "@tanstack/react-query";
import type { SystemMetrics } from "#contract/system.ts";
import {
  overCapacity,
  PlatformPart,
  PlatformParts,
} from "#console/domain/system/platform-parts.tsx";
import { formatGigabytes, formatPlural } from "#console/lib/format.ts";
import { QueryCard } from "#console/ui/query-card.tsx";
import { METRICS_POLL_MS } from "./system-queries.ts";

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
    <PlatformParts>
      <PlatformPart
        name="Workers"
        part="workers"
        detail={workers && `Environment: ${workers.environment}`}
        health={workers}
      />
      <PlatformPart
        name="R2 Storage"
        part="storage"
        detail={
          r2Storage &&
          `${formatGigabytes(r2Storage.usedGB)} used, ${r2Storage.utilization} utilization`
        }
        health={r2Storage}
        badge={r2Storage && overCapacity(r2Storage)}
      />
      <PlatformPart
        name="D1 Database"
        part="database"
        detail={d1Database && formatPlural(d1Database.totalRecords, "total record")}
        health={d1Database}
      />
      {/* A fixed text (docs/console.md#warnings): nothing measures it. */}
      <PlatformPart
        name="KV Namespaces"
        part="cache"
        detail="5 namespaces active"
        health={{ status: "healthy" }}
      />
      <PlatformPart
        name="Queue"
        part="queue"
        detail="VOD Resume Queue"
        health={queues?.vodResumeQueue}
      />
    </PlatformParts>
  );
}
