import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { DashboardStats } from "#contract/dashboard.ts";
import {
  HISTORY_POLL_MS,
  historyQuery,
  metricsQuery,
} from "#console/domain/system/metrics-query.ts";
import { useLiveUpdates } from "#console/domain/uploads/live-updates.ts";
import { FAILED_POLL_MS, workQuery } from "#console/domain/uploads/upload-queries.ts";
import { WorkStrip } from "#console/domain/uploads/work-strip.tsx";
import { formatUsd } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useCan, useSession } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { SkeletonFacts } from "#console/ui/facts.tsx";
import layout from "#console/ui/layout.module.css";
import { lazyPart } from "#console/ui/lazy-part.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { Panels } from "#console/ui/panels.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { Time } from "#console/ui/time.tsx";
import { CostPanel } from "./costs/cost-panel.tsx";
import { breakdownQuery, budgetsQuery, monthlyBudget } from "./costs/cost-queries.ts";
import {
  archivedQuery,
  failedQuery,
  METRICS_POLL_MS,
  RECENT_POLL_MS,
  recentUploadsQuery,
  runningQuery,
  STATS_POLL_MS,
  statsQuery,
} from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";
import { LastArchived } from "./last-archived.tsx";
import { storageOutlook } from "./outlook.ts";
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
  const work = useQuery({ ...workQuery(), enabled: mayReadUploads });
  const running = useQuery(runningQuery(mayReadUploads));
  const failed = useQuery(failedQuery(mayReadUploads));
  const archived = useQuery(archivedQuery(mayReadUploads));
  const recent = useQuery(recentUploadsQuery(mayReadUploads));
  useLiveUpdates(mayReadUploads ? 0 : null);
  usePolling(stats, STATS_POLL_MS);
  usePolling(metrics, mayReadSystem && METRICS_POLL_MS);
  // Also with a live stream, which does not replay what happened before it was open.
  usePolling(work, mayReadUploads && RECENT_POLL_MS);
  usePolling(running, mayReadUploads && RECENT_POLL_MS);
  usePolling(failed, mayReadUploads && FAILED_POLL_MS);
  usePolling(archived, mayReadUploads && RECENT_POLL_MS);
  usePolling(recent, mayReadUploads && RECENT_POLL_MS);
  const name = session.status === "signed-in" ? visibleText(session.admin.displayName) : "";
  /** Until it is known, the height of what is above the other cards is not. */
  const isWorkPending = mayReadUploads && (running.isPending || failed.isPending);
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
      <div className={classNames(layout.wrap, layout.small, styles.outlook)}>
        {mayReadUploads && <WorkStrip work={work.data} />}
        <StorageOutlook storage={stats.data?.storage} />
        {mayReadSystem && <Spending />}
      </div>
      <WorkCards running={running} count={work.data?.running} failed={failed} metrics={metrics} />
      {!isWorkPending && (
        <>
          {mayReadUploads && <LastArchived archived={archived} />}
          <StatCards stats={stats} />
          <CostPanel />
          <DashboardRest stats={stats} metrics={metrics} recent={recent} />
        </>
      )}
    </Page>
  );
}

function StorageOutlook({ storage }: { readonly storage: DashboardStats["storage"] | undefined }) {
  const history = useQuery(historyQuery());
  usePolling(history, HISTORY_POLL_MS);
  const text = storage && storageOutlook(storage, history.data?.storedBytes);
  return text && <Link to="/files">{text}</Link>;
}

/** What this month cost of its budget, where the store charges for it. */
function Spending() {
  const { data: cost } = useQuery(breakdownQuery());
  const budget = monthlyBudget(useQuery(budgetsQuery()).data);
  if (cost === undefined || cost.isHypothetical || budget === undefined) return null;
  return (
    <Link to="/" search={{ cost: "overview" }}>
      {formatUsd(budget.spent)} of {formatUsd(budget.budget)} spent this month
    </Link>
  );
}

export { DashboardPage as Screen, prefetchDashboard as prefetch };
