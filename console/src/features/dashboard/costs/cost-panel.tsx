import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useCallback, useId } from "react";
import { formatPercent, formatPlural, formatUsd } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useCan } from "#console/lib/session.ts";
import { Badge } from "#console/ui/badge.tsx";
import card from "#console/ui/card.module.css";
import { classNames } from "#console/ui/class-names.ts";
import { Figures } from "#console/ui/figures.tsx";
import { ForbiddenState } from "#console/ui/forbidden-state.tsx";
import { Meter } from "#console/ui/progress.tsx";
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
  monthlyBudget,
  thresholdsQuery,
} from "./cost-queries.ts";
import { AlertsTab } from "./alerts-tab.tsx";
import { budgetTone } from "./cost-tones.ts";
import { OverviewTab } from "./overview-tab.tsx";
import { ThresholdsTab } from "./thresholds-tab.tsx";
import { TrendsTab } from "./trends-tab.tsx";
import styles from "./costs.module.css";
import { TrackBadge } from "./track-badge.tsx";

const route = getRouteApi("/");

/** Costs against the budget: one line of figures, and tabs when opened. Checks for alerts. */
export function CostPanel() {
  const mayRead = useCan("read:system");
  const { cost } = route.useSearch();
  const navigate = route.useNavigate();
  const id = useId();
  const isOpen = cost !== undefined;
  function show(next: CostTab | undefined) {
    void navigate({ search: { cost: next }, replace: true, resetScroll: false });
  }
  return (
    <section className={card.card} aria-labelledby={`${id}-title`}>
      <div className={classNames("wrap gap3", styles.head)}>
        <h2 className={card.title}>
          <button
            type="button"
            id={`${id}-title`}
            className={classNames("row turning", styles.toggle)}
            aria-expanded={isOpen}
            aria-controls={`${id}-body`}
            onClick={() => show(isOpen ? undefined : "overview")}
          >
            <ChevronRight className="faint" />
            Costs
          </button>
        </h2>
        {mayRead && <Summary isOpen={isOpen} />}
      </div>
      <div id={`${id}-body`} className={styles.body} hidden={!isOpen}>
        {isOpen &&
          (mayRead ? (
            <CostTabs chosen={cost} onChoose={show} />
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

function Summary({ isOpen }: { readonly isOpen: boolean }) {
  const breakdown = usePolling(useQuery(breakdownQuery()), BREAKDOWN_POLL_MS);
  const alerts = usePolling(useQuery(alertsQuery()), ALERTS_POLL_MS);
  const budget = usePolling(useQuery(budgetsQuery()), BUDGET_POLL_MS);
  const unacknowledged = alerts.data?.unacknowledged ?? 0;
  // Polls for all tabs, because only one is mounted at a time.
  usePolling(useQuery(thresholdsQuery()), BUDGET_POLL_MS);
  useAlertCheck();
  const cost = breakdown.data;
  const monthly = monthlyBudget(budget.data);
  const percent = monthly && formatPercent(monthly.percentage);
  const absent = breakdown.isError || budget.isError ? "Unknown" : undefined;
  return (
    <>
      {!isOpen && (
        <>
          <div className={styles.strip}>
            <Figures
              figures={[
                { name: "Total this month so far", value: cost ? formatUsd(cost.total) : absent },
                {
                  name: "Remaining monthly budget",
                  value: monthly ? formatUsd(monthly.remaining) : absent,
                },
                { name: "Workers", value: cost ? formatUsd(cost.workers) : absent },
                { name: "R2 storage", value: cost ? formatUsd(cost.r2Storage) : absent },
              ]}
            />
          </div>
          <span className={styles.bar}>
            {monthly !== undefined && (
              <Meter
                label="Monthly budget"
                percent={monthly.percentage}
                text={`${percent} of the monthly budget spent`}
                tone={budgetTone(monthly.percentage)}
              />
            )}
          </span>
          {cost?.isHypothetical === false && monthly && <TrackBadge budget={monthly} />}
        </>
      )}
      {cost?.isHypothetical && <Badge>Estimate: if it ran on Cloudflare</Badge>}
      {cost?.isHypothetical === false && unacknowledged > 0 && (
        <Badge tone="bad">{formatPlural(unacknowledged, "alert")} to acknowledge</Badge>
      )}
    </>
  );
}

const TABS = [
  { id: "overview", label: "Overview" },
  { id: "alerts", label: "Alerts" },
  { id: "thresholds", label: "Thresholds" },
  { id: "trends", label: "Trends" },
] as const;
type CostTab = (typeof TABS)[number]["id"];

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
      {chosen === "trends" && <TrendsTab />}
    </Tabs>
  );
}
