import type { UseQueryResult } from "@tanstack/react-query";
import { R2_WARNING_PERCENT } from "#contract/limits.ts";
import type { SystemMetrics } from "#contract/system.ts";
import {
  overCapacity,
  PlatformPart,
  PlatformParts,
} from "#console/domain/system/platform-parts.tsx";
import { leadingNumber } from "#console/domain/system/system-health.ts";
import { formatGigabytes, formatPlural } from "#console/lib/format.ts";
import type { Tone } from "#console/ui/badge.tsx";
import { Meter } from "#console/ui/progress.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { METRICS_POLL_MS } from "./dashboard-queries.ts";

/** Why a part is not healthy stands under what needs attention. */
export function ResourcesCard({ metrics }: { readonly metrics: UseQueryResult<SystemMetrics> }) {
  return (
    <QueryCard
      title="System Resources"
      query={metrics}
      permission="read:system"
      intervalMs={METRICS_POLL_MS}
    >
      {({ cloudflare: { r2Storage, d1Database, workers } }) => (
        <PlatformParts>
          <PlatformPart
            name="R2 storage"
            part="storage"
            detail={`${formatGigabytes(r2Storage.usedGB)} used`}
            health={{ status: r2Storage.status }}
            badge={overCapacity(r2Storage)}
          >
            <Meter
              label="R2 storage used"
              percent={leadingNumber(r2Storage.utilization)}
              text={`${r2Storage.utilization} of the capacity`}
              tone={toneOf(r2Storage)}
            />
          </PlatformPart>
          <PlatformPart
            name="D1 database"
            part="database"
            detail={formatPlural(d1Database.totalRecords, "total record")}
            health={{ status: d1Database.status }}
          />
          <PlatformPart
            name="Workers"
            part="workers"
            detail={workers.environment}
            health={{ status: workers.status }}
          />
        </PlatformParts>
      )}
    </QueryCard>
  );
}

type Use = Pick<SystemMetrics["cloudflare"]["r2Storage"], "utilization">;

function toneOf({ utilization }: Use): Tone {
  const percent = leadingNumber(utilization);
  if (percent > 100) return "bad";
  return percent > R2_WARNING_PERCENT ? "warn" : "accent";
}
