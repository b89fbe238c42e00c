import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "@tanstack/react-router";
import { metricsQuery } from "#console/domain/system/metrics-query.ts";
import { ArchiveLink } from "#console/domain/uploads/archive-link.tsx";
import { useLiveUpdates } from "#console/domain/uploads/live-updates.ts";
import { FAILED_POLL_MS, workQuery } from "#console/domain/uploads/upload-queries.ts";
import { WorkStrip } from "#console/domain/uploads/work-strip.tsx";
import { siteStore } from "#console/lib/browser-storage.ts";
import { usePolling } from "#console/lib/polling.ts";
import { FIRST_STEPS_KEY } from "#console/lib/preferences.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
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
import { attentionItems } from "./attention.ts";
import { CostPanel } from "./costs/cost-panel.tsx";
import { alertsQuery, breakdownQuery, budgetsQuery, monthlyBudget } from "./costs/cost-queries.ts";
import {
  archivedQuery,
  CHANNELS_POLL_MS,
  channelsQuery,
  failedQuery,
  METRICS_POLL_MS,
  RECENT_POLL_MS,
  recentUploadsQuery,
  runningQuery,
  setupQuery,
  STATS_POLL_MS,
  statsQuery,
} from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";
import { LastArchived } from "./last-archived.tsx";
import { storageOutlook } from "./outlook.ts";
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

const FirstSteps = lazyPart(
  async () => (await import("./first-steps.tsx")).FirstSteps,
  <Card title="First steps">
    <SkeletonFacts rows={5} />
  </Card>,
);

const hasFirstSteps = () => siteStore.getItem(FIRST_STEPS_KEY) === null;

/** Requests the dashboard's data. */
async function prefetchDashboard({
  queryClient,
  may,
}: Pick<ScreenOpening, "queryClient" | "may">): Promise<void> {
  void queryClient.prefetchQuery(statsQuery());
  if (may("read:uploads")) {
    void queryClient.prefetchQuery(failedQuery(true));
    void queryClient.prefetchQuery(runningQuery(true));
    void queryClient.prefetchQuery(workQuery());
    void queryClient.prefetchQuery(archivedQuery(true));
    void queryClient.prefetchQuery(recentUploadsQuery(true));
  }
  if (may("write:system") && hasFirstSteps()) {
    void queryClient.prefetchQuery(setupQuery());
    // It is at the top, and its text is the largest.
    void FirstSteps.preload();
  }
  if (!may("read:system")) return;
  void queryClient.prefetchQuery(metricsQuery(true));
  void queryClient.prefetchQuery(breakdownQuery());
  void queryClient.prefetchQuery(budgetsQuery());
  void queryClient.prefetchQuery(alertsQuery());
}

function DashboardPage({ title }: ScreenProps) {
  const session = useSession();
  const stats = usePolling(useQuery(statsQuery()), STATS_POLL_MS);
  const mayReadSystem = useCan("read:system");
  const metrics = usePolling(
    useQuery(metricsQuery(mayReadSystem)),
    mayReadSystem && METRICS_POLL_MS,
  );
  const mayWriteSystem = useCan("write:system");
  const mayReadUploads = useCan("read:uploads");
  const recentMs = mayReadUploads && RECENT_POLL_MS;
  // Also with a live stream, which does not replay what happened before it was open.
  const work = usePolling(useQuery({ ...workQuery(), enabled: mayReadUploads }), recentMs);
  const running = usePolling(useQuery(runningQuery(mayReadUploads)), recentMs);
  const failed = usePolling(
    useQuery(failedQuery(mayReadUploads)),
    mayReadUploads && FAILED_POLL_MS,
  );
  const archived = usePolling(useQuery(archivedQuery(mayReadUploads)), recentMs);
  const recent = usePolling(useQuery(recentUploadsQuery(mayReadUploads)), recentMs);
  useLiveUpdates(mayReadUploads ? 0 : null);
  const name = session.status === "signed-in" ? visibleText(session.admin.displayName) : "";
  const system = { enabled: mayReadSystem };
  const alerts = useQuery({ ...alertsQuery(), ...system });
  const budgets = useQuery({ ...budgetsQuery(), ...system });
  // Shown at once, because the height of each part decides where the next one is.
  const isFirstLoad = [stats, work, running, failed, archived, metrics, alerts, budgets].some(
    (query) => query.isLoading,
  );
  // What has been shown stays: a part that asks again when it appears must not hide itself.
  const [wasShown, setShown] = useState(false);
  if (!wasShown && !isFirstLoad) setShown(true);
  const isLoading = isFirstLoad && !wasShown;
  // Nothing waits for it; the card has room. Without channels it is asked once.
  const channels = useQuery(channelsQuery(mayReadUploads && !isLoading));
  const figures = channels.data?.summary;
  usePolling(channels, mayReadUploads && figures?.channels !== 0 && CHANNELS_POLL_MS);
  const missing = [!mayReadUploads && "read:uploads", !mayReadSystem && "read:system"].filter(
    Boolean,
  );
  const budget = monthlyBudget(budgets.data);
  const storage = stats.data?.storage;
  const outlook = storage && storageOutlook(storage);
  return (
    <Page
      hasParts
      title={title}
      actions={<ArchiveLink text="New archive" />}
      subtitle={
        <span className={layout.wrap}>
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
      {mayWriteSystem && hasFirstSteps() && <FirstSteps />}
      <div className={classNames(layout.wrap, layout.small, styles.outlook)}>
        {mayReadUploads && <WorkStrip work={isLoading ? undefined : work.data} />}
        <span className={styles.future}>
          {!isLoading && outlook && <Link to="/files">{outlook}</Link>}
        </span>
      </div>
      <WorkCards
        // Placeholders do not move: they are replaced.
        key={String(isLoading)}
        isLoading={isLoading}
        running={running}
        count={work.data && work.data.running + work.data.live}
        failed={failed}
        metrics={metrics}
        problems={attentionItems(
          metrics.data,
          { budget, alerts: alerts.data?.unacknowledged ?? 0 },
          { channels: figures, storage },
        )}
      />
      {!isLoading && (
        <>
          {mayReadUploads && <LastArchived archived={archived} rare={figures?.rare ?? 0} />}
          <StatCards stats={stats} />
          {mayReadSystem && <CostPanel />}
          <DashboardRest stats={stats} metrics={metrics} recent={recent} />
          {missing.length > 0 && (
            <p className={layout.note}>Other parts need the permission {missing.join(" or ")}.</p>
          )}
        </>
      )}
    </Page>
  );
}

export { DashboardPage as Screen, prefetchDashboard as prefetch };
