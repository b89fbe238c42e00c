import { useQuery } from "@tanstack/react-query";
import { startTransition, useEffect, useState } from "react";
import { CostPanel } from "#console/features/costs/cost-panel.tsx";
import { metricsQuery } from "#console/features/system/system-queries.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useCan, useSession } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Page } from "#console/ui/page.tsx";
import { Panels } from "#console/ui/panels.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { Time } from "#console/ui/time.tsx";
import { AttentionStrip } from "./attention-strip.tsx";
import { CostAnalysisCard } from "./cost-analysis-card.tsx";
import {
  METRICS_POLL_MS,
  RECENT_POLL_MS,
  recentUploadsQuery,
  STATS_POLL_MS,
  statsQuery,
} from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";
import { RecentUploadsCard } from "./recent-uploads-card.tsx";
import { ResourcesCard } from "./resources-card.tsx";
import { StatCards } from "./stat-cards.tsx";
import { SystemHealthCard } from "./system-health-card.tsx";
import { UploadStatusCard } from "./upload-status-card.tsx";

let wasOpened = false;

/**
 * Whether to render the content below the fold. On the first visit that is a separate render, so
 * that the visible part does not wait for it.
 */
function useRest(): boolean {
  const [isThere, setThere] = useState(wasOpened);
  useEffect(() => {
    wasOpened = true;
    startTransition(() => setThere(true));
  }, []);
  return isThere;
}

export function DashboardPage() {
  const hasRest = useRest();
  const session = useSession();
  const stats = useQuery(statsQuery());
  const mayReadSystem = useCan("read:system");
  const metrics = useQuery(metricsQuery(mayReadSystem));
  const mayReadUploads = useCan("read:uploads");
  const recent = useQuery(recentUploadsQuery(mayReadUploads));
  usePolling(stats, STATS_POLL_MS);
  usePolling(metrics, mayReadSystem && METRICS_POLL_MS);
  usePolling(recent, mayReadUploads && RECENT_POLL_MS);
  const name = session.status === "signed-in" ? visibleText(session.admin.displayName) : "";
  return (
    <Page
      title="Dashboard"
      subtitle={
        <span className={styles.greeting}>
          <span>
            <span>Welcome back</span>, {name}
          </span>
          <span>
            Last updated{" "}
            <Time
              at={stats.dataUpdatedAt === 0 ? null : new Date(stats.dataUpdatedAt).toISOString()}
              absent="..."
            />
          </span>
          <StaleMark query={stats} intervalMs={STATS_POLL_MS} />
        </span>
      }
    >
      <AttentionStrip stats={stats} metrics={metrics} />
      <StatCards stats={stats} />
      <CostPanel />
      {hasRest ? (
        <>
          <Panels split="wide-first">
            <UploadStatusCard stats={stats} />
            <ResourcesCard metrics={metrics} />
            <SystemHealthCard metrics={metrics} />
          </Panels>
          <Panels>
            <RecentUploadsCard recent={recent} />
            <CostAnalysisCard metrics={metrics} />
          </Panels>
        </>
      ) : (
        <div className={styles.rest} data-skeleton="" />
      )}
    </Page>
  );
}
