import type { UseQueryResult } from "@tanstack/react-query";
import type { DashboardStats } from "#contract/dashboard.ts";
import type { SystemMetrics } from "#contract/system.ts";
import type { UploadPage } from "#console/domain/uploads/uploads-view.ts";
import { useCan } from "#console/lib/session.ts";
import { Panels } from "#console/ui/panels.tsx";
import { CostAnalysisCard } from "./cost-analysis-card.tsx";
import { RecentUploadsCard } from "./recent-uploads-card.tsx";
import { ResourcesCard } from "./resources-card.tsx";
import { SystemHealthCard } from "./system-health-card.tsx";
import { UploadStatusCard } from "./upload-status-card.tsx";

/** The cards below the fold. */
export function DashboardRest({
  stats,
  metrics,
  recent,
}: {
  readonly stats: UseQueryResult<DashboardStats>;
  readonly metrics: UseQueryResult<SystemMetrics>;
  readonly recent: UseQueryResult<UploadPage>;
}) {
  const mayReadUploads = useCan("read:uploads");
  const mayReadSystem = useCan("read:system");
  return (
    <>
      {mayReadUploads && (
        <Panels>
          <RecentUploadsCard recent={recent} />
          <UploadStatusCard stats={stats} />
        </Panels>
      )}
      {mayReadSystem && (
        <Panels split="wide-first">
          <CostAnalysisCard metrics={metrics} />
          <ResourcesCard metrics={metrics} />
          <SystemHealthCard metrics={metrics} />
        </Panels>
      )}
    </>
  );
}
