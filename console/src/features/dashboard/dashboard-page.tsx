import { useQuery } from "@tanstack/react-query";
import { metricsQuery } from "#console/domain/system/metrics-query.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useCan, useSession } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Card } from "#console/ui/card.tsx";
import { SkeletonFacts } from "#console/ui/facts.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { Panels } from "#console/ui/panels.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { Time } from "#console/ui/time.tsx";
import { CostPanel } from "./costs/cost-panel.tsx";
import {
  METRICS_POLL_MS,
  RECENT_POLL_MS,
  recentUploadsQuery,
  STATS_POLL_MS,
  statsQuery,
} from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";
import { prefetchDashboard } from "./prefetch-dashboard.ts";
import { StatCards } from "./stat-cards.tsx";
import { WorkCards } from "./work-cards.tsx";

/** Below the fold, so its place need not have its final size. */
const DashboardRest = lazyPart(
  async () => (await import("./dashboard-rest.tsx")).DashboardRest,
  <Panels>
    <Card title="Recent Uploads">
      <SkeletonFacts rows={6} />
    </Card>
    <Card title="Upload Status">
      <SkeletonFacts rows={6} />
    </Card>
  </Panels>,
);

function DashboardPage({ title }: ScreenProps) {
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
      hasParts
      title={title}
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
      <StatCards stats={stats} />
      <WorkCards metrics={metrics} />
      <CostPanel />
      <DashboardRest stats={stats} metrics={metrics} recent={recent} />
    </Page>
  );
}

export { DashboardPage as Screen, prefetchDashboard as prefetch };
