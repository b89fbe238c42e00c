import { RotateCw, ShieldAlert, TriangleAlert } from "lucide-react";
import type { DataOf } from "#contract/call.ts";
import type { listFailedUploads } from "#contract/uploads.ts";
import { formatCount } from "#console/lib/format.ts";
import { StatCard, StatGrid } from "#console/ui/stat-card.tsx";

/** Totals over all failed uploads, regardless of the search. */
export function FailedStats({
  summary,
}: {
  /** Undefined until the first answer. */
  readonly summary: DataOf<typeof listFailedUploads>["summary"] | undefined;
}) {
  return (
    <StatGrid>
      <StatCard
        label="Total Failed"
        value={summary === undefined ? null : formatCount(summary.totalFailed)}
        icon={<TriangleAlert aria-hidden="true" />}
      />
      <StatCard
        label="Can Retry"
        value={summary === undefined ? null : formatCount(summary.canRetry)}
        icon={<RotateCw aria-hidden="true" />}
      />
      <StatCard
        label="Max Retries"
        value={summary === undefined ? null : formatCount(summary.maxRetriesReached)}
        icon={<ShieldAlert aria-hidden="true" />}
      />
    </StatGrid>
  );
}
