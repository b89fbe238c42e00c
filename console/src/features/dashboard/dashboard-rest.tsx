import type { UseQueryResult } from "@tanstack/react-query";
import type { DashboardStats } from "#contract/dashboard.ts";
import type { SystemMetrics } from "#contract/system.ts";
import type { UploadPage } from "#console/domain/uploads/uploads-view.ts";
import { useCan } from "#console/lib/session.ts";
import { classNames } from "#console/ui/class-names.ts";
import { Panels } from "#console/ui/panels.tsx";
import { CostPanel } from "./costs/cost-panel.tsx";
import { CostAnalysisCard } from "./cost-analysis-card.tsx";
import styles from "./dashboard.module.css";
import { RecentUploadsCard } from "./recent-uploads-card.tsx";
import { ResourcesCard } from "./resources-card.tsx";
import { StatCards } from "./stat-cards.tsx";
import { SystemHealthCard } from "./system-health-card.tsx";
import { UploadStatusCard } from "./upload-status-card.tsx";

/** What is below the work: the newest uploads, and figures. */
export function DashboardRest({
  stats,
  metrics,
  recent,
  rare,
}: {
  readonly stats: UseQueryResult<DashboardStats>;
  readonly metrics: UseQueryResult<SystemMetrics>;
  readonly recent: UseQueryResult<UploadPage>;
  readonly rare: number;
}) {
  const mayReadUploads = useCan("read:uploads");
  const mayReadSystem = useCan("read:system");
  return (
    <>
      {mayReadUploads && (
        <div className={classNames("stack gap4", styles.newest)}>
          <RecentUploadsCard recent={recent} rare={rare} />
          <UploadStatusCard stats={stats} />
        </div>
      )}
      <StatCards stats={stats} />
      {mayReadSystem && (
        <>
          <CostPanel />
          <Panels split="wide-first">
            <CostAnalysisCard metrics={metrics} />
            <ResourcesCard metrics={metrics} />
            <SystemHealthCard metrics={metrics} />
          </Panels>
        </>
      )}
    </>
  );
}
