import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useCallback, useId } from "react";
import { COST_TABS, type CostTab } from "#console/features/dashboard/dashboard-search.ts";
import { formatUsd } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useCan } from "#console/lib/session.ts";
import { Badge } from "#console/ui/badge.tsx";
import { SkeletonFacts } from "#console/ui/facts.tsx";
import { ForbiddenState } from "#console/ui/forbidden-state.tsx";
import { lazyPart } from "#console/ui/lazy-part.tsx";
import { Tabs } from "#console/ui/tabs.tsx";
import {
  ALERTS_POLL_MS,
  alertsQuery,
  BREAKDOWN_POLL_MS,
  breakdownQuery,
  BUDGET_POLL_MS,
  budgetsQuery,
  CHECK_EVERY_MS,
  checkForAlerts,
  thresholdsQuery,
} from "./cost-queries.ts";
import styles from "./costs.module.css";
import { OverviewTab } from "./overview-tab.tsx";

const route = getRouteApi("/");

/** Rarely opened tabs load when opened, not with the start page. */
const WAITING = <SkeletonFacts rows={4} />;
const AlertsTab = lazyPart(async () => (await import("./alerts-tab.tsx")).AlertsTab, WAITING);
const ThresholdsTab = lazyPart(
  async () => (await import("./thresholds-tab.tsx")).ThresholdsTab,
  WAITING,
);
const TrendsTab = lazyPart(async () => (await import("./trends-tab.tsx")).TrendsTab, WAITING);

/** Costs against the budget. Closed, it still shows the total and checks for alerts. */
export function CostPanel() {
  const mayRead = useCan("read:system");
  const { cost } = route.useSearch();
  const navigate = route.useNavigate();
  const id = useId();
  const isOpen = cost !== "closed";
  function show(next: CostTab | "closed") {
    void navigate({
      search: { cost: next === "overview" ? undefined : next },
      replace: true,
      resetScroll: false,
    });
  }
  return (
    <section className={styles.panel} aria-labelledby={`${id}-title`}>
      <div className={styles.head}>
        <h2 className={styles.title}>
          <button
            type="button"
            id={`${id}-title`}
            className={styles.toggle}
            aria-expanded={isOpen}
            aria-controls={`${id}-body`}
            onClick={() => show(isOpen ? "closed" : "overview")}
          >
            <ChevronRight aria-hidden="true" />
            Costs
          </button>
        </h2>
        {mayRead && <Summary />}
      </div>
      <div id={`${id}-body`} className={styles.body} hidden={!isOpen}>
        {isOpen &&
          (mayRead ? (
            <CostTabs chosen={cost ?? "overview"} onChoose={show} />
          ) : (
            <ForbiddenState permission="read:system" />
          ))}
      </div>
    </section>
  );
}

/** Checks for new alerts every five minutes, first five minutes after the dashboard opens. */
function useAlertCheck(): void {
  const queryClient = useQueryClient();
  const refetch = useCallback(() => checkForAlerts(queryClient).catch(() => 0), [queryClient]);
  usePolling({ refetch }, CHECK_EVERY_MS);
}

function Summary() {
  const breakdown = useQuery(breakdownQuery());
  const alerts = useQuery(alertsQuery());
  const unacknowledged = alerts.data?.unacknowledged ?? 0;
  // Polls for all tabs, because only one is mounted at a time.
  usePolling(breakdown, BREAKDOWN_POLL_MS);
  usePolling(alerts, ALERTS_POLL_MS);
  usePolling(useQuery(budgetsQuery()), BUDGET_POLL_MS);
  usePolling(useQuery(thresholdsQuery()), BUDGET_POLL_MS);
  useAlertCheck();
  return (
    <>
      {unacknowledged > 0 && (
        <Badge tone="bad">
          {unacknowledged} {unacknowledged === 1 ? "alert" : "alerts"} to acknowledge
        </Badge>
      )}
      {breakdown.data !== undefined && (
        <span className={styles.summary}>{formatUsd(breakdown.data.total)} this month so far</span>
      )}
    </>
  );
}

const TAB_LABELS: Readonly<Record<CostTab, string>> = {
  overview: "Overview",
  alerts: "Alerts",
  thresholds: "Thresholds",
  trends: "Trends",
};

const TABS = COST_TABS.map((tab) => ({ id: tab, label: TAB_LABELS[tab] }));

function CostTabs({
  chosen,
  onChoose,
}: {
  readonly chosen: CostTab;
  readonly onChoose: (tab: CostTab) => void;
}) {
  const breakdown = useQuery(breakdownQuery());
  const budget = useQuery(budgetsQuery());
  return (
    <Tabs label="Costs" tabs={TABS} chosen={chosen} onChoose={onChoose}>
      {chosen === "overview" && <OverviewTab breakdown={breakdown} budget={budget} />}
      {chosen === "alerts" && <AlertsTab />}
      {chosen === "thresholds" && <ThresholdsTab budget={budget} />}
      {chosen === "trends" && <TrendsTab breakdown={breakdown} budget={budget} />}
    </Tabs>
  );
}
