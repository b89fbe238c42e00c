import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useRef, useState, type ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import { metricsQuery } from "#console/domain/system/metrics-query.ts";
import { ArchiveLink } from "#console/domain/uploads/archive-link.tsx";
import { useLiveUpdates } from "#console/domain/uploads/live-updates.ts";
import { FAILED_POLL_MS, workQuery } from "#console/domain/uploads/upload-queries.ts";
import { WorkStrip } from "#console/domain/uploads/work-strip.tsx";
import { usePolling } from "#console/lib/polling.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { useCan, useSession } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import { lazyPart } from "#console/ui/lazy-part.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { Time } from "#console/ui/time.tsx";
import { attentionItems } from "./attention.ts";
import { alertsQuery, breakdownQuery, budgetsQuery, monthlyBudget } from "./costs/cost-queries.ts";
import {
  CHANNELS_POLL_MS,
  channelsQuery,
  failedQuery,
  firstViewQuery,
  METRICS_POLL_MS,
  RECENT_POLL_MS,
  recentUploadsQuery,
  runningQuery,
  STATS_POLL_MS,
  statsQuery,
} from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";
import { FirstSteps } from "./first-steps.tsx";
import { storageOutlook } from "./outlook.ts";
import { WorkCards } from "./work-cards.tsx";

/** Below the fold, so its place need not have its final size. */
const DashboardRest = lazyPart(
  async () => (await import("./dashboard-rest.tsx")).DashboardRest,
  () => <RestPlace />,
);

/** Requests the dashboard's data. */
async function prefetchDashboard({
  queryClient,
}: Pick<ScreenOpening, "queryClient">): Promise<void> {
  void DashboardRest.preload();
  await queryClient.prefetchQuery(firstViewQuery());
}

function DashboardPage({ title }: ScreenProps) {
  const session = useSession();
  const first = useQuery(firstViewQuery());
  const mayReadSystem = useCan("read:system");
  const mayWriteSystem = useCan("write:system");
  const mayReadUploads = useCan("read:uploads");
  // The first view's answer becomes theirs.
  const system = { enabled: mayReadSystem && !first.isFetching };
  const uploads = { enabled: mayReadUploads && !first.isFetching };
  const stats = usePolling(
    useQuery({ ...statsQuery(), enabled: !first.isFetching }),
    STATS_POLL_MS,
  );
  const metrics = usePolling(
    useQuery({ ...metricsQuery(true), ...system }),
    mayReadSystem && METRICS_POLL_MS,
  );
  const recentMs = mayReadUploads && RECENT_POLL_MS;
  // Also with a live stream, which does not replay what happened before it was open.
  const work = usePolling(useQuery({ ...workQuery(), ...uploads }), recentMs);
  const running = usePolling(useQuery({ ...runningQuery(), ...uploads }), recentMs);
  const failed = usePolling(
    useQuery({ ...failedQuery(), ...uploads }),
    mayReadUploads && FAILED_POLL_MS,
  );
  const recent = usePolling(useQuery({ ...recentUploadsQuery(), ...uploads }), recentMs);
  useOnChange(running.data?.total, work.refetch);
  const name = session.status === "signed-in" ? visibleText(session.admin.displayName) : "";
  const alerts = useQuery({ ...alertsQuery(), ...system });
  const budgets = useQuery({ ...budgetsQuery(), ...system });
  const breakdown = useQuery({ ...breakdownQuery(), ...system });
  const channels = useQuery({ ...channelsQuery(), ...uploads });
  const figures = channels.data?.summary;
  usePolling(channels, mayReadUploads && figures?.channels !== 0 && CHANNELS_POLL_MS);
  // Shown at once, because the height of each part decides where the next one is.
  const isFirstLoad =
    first.isPending ||
    [stats, work, failed, recent, metrics, alerts, budgets, breakdown].some(
      (query) => query.isLoading,
    );
  // What has been shown stays: a part that asks again when it appears must not hide itself.
  const [wasShown, setShown] = useState(false);
  if (!wasShown && !isFirstLoad) setShown(true);
  const isLoading = isFirstLoad && !wasShown;
  const missing = [!mayReadUploads && "read:uploads", !mayReadSystem && "read:system"].filter(
    Boolean,
  );
  const storage = stats.data?.storage;
  const outlook = storage && storageOutlook(storage);
  return (
    <Page
      hasParts
      title={title}
      actions={<ArchiveLink text="New archive" />}
      subtitle={
        <span className="wrap">
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
      {mayReadUploads && <LiveUploads />}
      {mayWriteSystem && <FirstSteps isLoading={isLoading} />}
      <div className={classNames("wrap small", styles.outlook)}>
        {mayReadUploads && <WorkStrip work={isLoading ? undefined : work.data} />}
        <span className={styles.future}>
          {!isLoading && outlook && (
            <Link to="/files" search={{ room: "make" }} className="target soft">
              {outlook}
            </Link>
          )}
        </span>
      </div>
      <WorkCards
        // Placeholders do not move: they are replaced.
        key={String(isLoading)}
        isLoading={isLoading}
        running={running}
        failed={failed}
        metrics={metrics}
        problems={attentionItems(
          metrics.data,
          breakdown.data?.isHypothetical === false
            ? {
                budget: monthlyBudget(budgets.data),
                alerts: alerts.data?.unacknowledged ?? 0,
              }
            : null,
          { channels: figures, storage },
        )}
      />
      <Below isReady={!isLoading}>
        <DashboardRest stats={stats} metrics={metrics} recent={recent} rare={figures?.rare ?? 0} />
        {missing.length > 0 && (
          <p className="note">Other parts need the permission {missing.join(" or ")}.</p>
        )}
      </Below>
    </Page>
  );
}

/** After a live update, so that the strip does not contradict the rows below it. */
function useOnChange(count: number | undefined, run: () => Promise<unknown>): void {
  const known = useRef(count);
  useEffect(() => {
    if (known.current !== undefined && known.current !== count) void run();
    known.current = count;
  }, [count, run]);
}

/** What is below comes in a task of its own, in which the rest need not render again. */
function Below({ isReady, children }: { readonly isReady: boolean; readonly children: ReactNode }) {
  return useDeferredValue(isReady, false) ? children : <RestPlace />;
}

/** Renders by itself when the stream opens, which no part of the screen shows. */
function LiveUploads() {
  useLiveUpdates(0);
  return null;
}

function RestPlace() {
  return <div className={styles.rest} data-skeleton="" />;
}

export { DashboardPage as Screen, prefetchDashboard as prefetch };
