import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Eraser, Stethoscope } from "lucide-react";
import { useEffect, useEffectEvent } from "react";
import { systemMetrics, systemMetricsStream } from "#contract/system.ts";
import { metricsQuery } from "#console/domain/system/metrics-query.ts";
import { useBegun } from "#console/lib/begun.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { formatPlural } from "#console/lib/format.ts";
import { openLiveStream } from "#console/lib/live-stream.ts";
import { usePolling } from "#console/lib/polling.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { SkeletonFacts } from "#console/ui/facts.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { Panels } from "#console/ui/panels.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import { tabClassName, Tabs } from "#console/ui/tabs.tsx";
import { Time } from "#console/ui/time.tsx";
import { HealthCard } from "./health-card.tsx";
import { InfrastructureCard } from "./infrastructure-card.tsx";
import { RestartButton } from "./restart-button.tsx";
import { useSystemActions } from "./system-actions.ts";
import { lastRunQuery, METRICS_POLL_MS, type SystemAction } from "./system-queries.ts";
import type { SystemSearch } from "./system-search.ts";
import styles from "./system.module.css";
import { ExaminationCard } from "./examination-card.tsx";

const route = getRouteApi("/system");

const VIEWS = [
  { id: "status", label: "Status" },
  { id: "storage", label: "Storage and Proof" },
  { id: "backups", label: "Backups" },
  { id: "history", label: "History" },
] as const;

const later = () => import("./later-parts.ts");

const PerformanceCard = lazyPart(
  async () => (await later()).PerformanceCard,
  <Card title="Performance Trends">
    <div className={styles.performance} data-skeleton="" />
  </Card>,
);

const LogsCard = lazyPart(
  async () => (await later()).LogsCard,
  <Card
    flush
    title="System Logs"
    actions={<div className={classNames("wrap end", styles.tools)} />}
  >
    <div className={styles.pending}>
      <SkeletonFacts rows={12} />
    </div>
  </Card>,
);

const WaitingCard = lazyPart(
  async () => (await later()).WaitingCard,
  <Card title="Waiting Work">
    <SkeletonFacts rows={3} />
  </Card>,
);

const HistoryCard = lazyPart(
  async () => (await later()).HistoryCard,
  <Card title="History" actions={<div className={classNames("wrap end", styles.tools)} />}>
    <div className={styles.history} data-skeleton="" />
  </Card>,
);

const StorageCard = lazyPart(
  async () => (await later()).StorageCard,
  <Card title="Storage by Channel">
    <SkeletonFacts rows={4} />
  </Card>,
);

const VerificationCard = lazyPart(
  async () => (await later()).VerificationCard,
  <Card title="Verification">
    <SkeletonFacts rows={5} />
  </Card>,
);

/** Null where there is no library folder, so that nothing stands for it meanwhile. */
const LibraryCard = lazyPart(async () => (await later()).LibraryCard, null);

const BackupsCard = lazyPart(
  async () => (await later()).BackupsCard,
  <Card title="Backups">
    <SkeletonFacts rows={4} />
  </Card>,
);

function prefetchSystem({ queryClient }: ScreenOpening) {
  return queryClient.prefetchQuery(metricsQuery(true));
}

/** Each message replaces the cached metrics; polling continues (docs/console.md#intervals). */
function useMetricsStream(): void {
  const queryClient = useQueryClient();
  useEffect(
    () =>
      openLiveStream(systemMetricsStream, {
        onMessage: (metrics) => queryClient.setQueryData(keyOf(systemMetrics), metrics),
        onState: (state) => {
          // A failed metrics stream is only logged, since polling replaces it.
          // oxlint-disable-next-line no-console
          if (state === "lost") console.debug("The metrics stream has failed; polling continues.");
        },
      }),
    [queryClient],
  );
}

function SystemPage({ title }: ScreenProps) {
  useMetricsStream();
  const metrics = usePolling(useQuery(metricsQuery(true)), METRICS_POLL_MS);
  const { view } = route.useSearch();
  const [begun, endBegun] = useBegun();
  const navigate = route.useNavigate();
  function show(next: SystemSearch["view"]) {
    const search = (previous: SystemSearch) => ({ ...previous, view: next });
    void navigate({ search, replace: true, resetScroll: false });
  }
  const writeMissing = useMissingPermission("write:system");
  const { clear, restart, examine } = useSystemActions();
  const run = useEffectEvent((what: "clear" | "examine") => {
    endBegun();
    (what === "clear" ? clear : examine).mutate();
  });
  useEffect(() => {
    if (begun === "clear" || begun === "examine") run(begun);
  }, [begun]);
  return (
    <Page
      hasParts
      title={title}
      actions={
        <>
          <Button
            icon={<Stethoscope />}
            disabledReason={writeMissing}
            busy={examine.isPending}
            onClick={() => examine.mutate()}
          >
            Run Checks
          </Button>
          <Button
            icon={<Eraser />}
            disabledReason={writeMissing}
            busy={clear.isPending}
            onClick={() => clear.mutate()}
          >
            Clear Cache
          </Button>
          <RestartButton
            disabledReason={writeMissing}
            busy={restart.isPending}
            isAsked={begun === "restart" && writeMissing === undefined}
            onAnswered={endBegun}
            onRestart={() => restart.mutate()}
          />
        </>
      }
    >
      <ul className={classNames("wrap note", styles.runs)}>
        <LastRun
          action="cache.clear"
          text="Cache cleared"
          outcome={clear.data && `${formatPlural(clear.data.cleared, "entry", "entries")} dropped`}
        />
        <LastRun
          action="workers.restart"
          text="Workers restarted"
          outcome={
            restart.data &&
            `${formatPlural(restart.data.restarted, "archive")} handed over, ${restart.data.resumed} resumed`
          }
        />
        <LastRun
          action="system.examine"
          text="Checks run"
          outcome={examine.isPending ? "Checking, which takes up to a minute" : undefined}
        />
      </ul>
      {examine.data !== undefined && <ExaminationCard examination={examine.data} />}
      <Tabs
        label="Parts of the system"
        tabs={VIEWS}
        chosen={view ?? "status"}
        onChoose={(id) => show(id === "status" ? undefined : id)}
        beside={
          <Link to="/audit" className={tabClassName}>
            Audit Log
          </Link>
        }
      >
        <div className="stack gap4">
          {view === undefined && (
            <>
              <Panels>
                <HealthCard metrics={metrics} />
                <InfrastructureCard metrics={metrics} />
              </Panels>
              <PerformanceCard metrics={metrics} />
              <LogsCard />
            </>
          )}
          {view === "storage" && (
            <>
              <VerificationCard isAsked={begun === "verify"} onAnswered={endBegun} />
              <StorageCard />
              <LibraryCard />
              <WaitingCard />
            </>
          )}
          {view === "backups" && <BackupsCard />}
          {view === "history" && <HistoryCard />}
        </div>
      </Tabs>
    </Page>
  );
}

/** When and by whom it was last run; right after a run, also its result. */
function LastRun({
  action,
  text,
  outcome,
}: {
  readonly action: SystemAction;
  readonly text: string;
  readonly outcome: string | undefined;
}) {
  const { data, isLoading } = useQuery(lastRunQuery(action));
  const entry = data?.items[0];
  if (isLoading) {
    return (
      <li>
        <Skeleton width="11rem" />
      </li>
    );
  }
  if (data === undefined) return null;
  return (
    <li>
      {text}: <Time at={entry?.at ?? null} absent="never" />
      {entry !== undefined && entry.actor !== null && ` by ${visibleText(entry.actor.displayName)}`}
      {outcome !== undefined && `. ${outcome}`}
    </li>
  );
}

export { SystemPage as Screen, prefetchSystem as prefetch };
