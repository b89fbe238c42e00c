import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { DataOf } from "#contract/call.ts";
import type { Budget, budgets, CostBreakdown, UsageLine } from "#contract/costs.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { readVerification } from "#contract/verification.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { formatPercent, formatPlural, formatUsd } from "#console/lib/format.ts";
import { SkeletonFacts } from "#console/ui/facts.tsx";
import { Figures } from "#console/ui/figures.tsx";
import { Meter } from "#console/ui/progress.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { Time } from "#console/ui/time.tsx";
import { BREAKDOWN_POLL_MS, monthlyBudget } from "./cost-queries.ts";
import { budgetTone } from "./cost-tones.ts";
import styles from "./costs.module.css";
import { TrackBadge } from "./track-badge.tsx";

export function OverviewTab({
  breakdown,
  budget,
}: {
  readonly breakdown: UseQueryResult<CostBreakdown>;
  readonly budget: UseQueryResult<DataOf<typeof budgets>>;
}) {
  const monthly = monthlyBudget(budget.data);
  return (
    <QueryBody query={breakdown}>
      {(cost) =>
        budget.isPending ? (
          // Content below the budget would move if the budget came last.
          <div aria-busy="true">
            <SkeletonFacts rows={4} />
          </div>
        ) : (
          <div className="stack narrowing gap4">
            <Figures
              look="large"
              figures={[
                { name: "Total", value: formatUsd(cost.total), note: "this month so far" },
                {
                  name: "Remaining monthly budget",
                  value: monthly === undefined ? "…" : formatUsd(monthly.remaining),
                  note: monthly && `of ${formatUsd(monthly.budget)} a month`,
                },
                { name: "Workers", value: formatUsd(cost.workers), note: "this month so far" },
                { name: "R2 storage", value: formatUsd(cost.r2Storage), note: "this month so far" },
              ]}
            />
            <QueryBody query={budget}>
              {() => monthly !== undefined && <BudgetBar budget={monthly} />}
            </QueryBody>
            {!cost.isHypothetical && (
              <>
                <div className="stack">
                  <h3 className="small">What drives the cost</h3>
                  <Drivers usage={cost.usage} />
                </div>
                <small>
                  Bars show how much of what the plan includes is used. The plan's own fee is in
                  Workers.
                </small>
                <ReadingCost />
              </>
            )}
            <p className="between small">
              <small>
                Estimates at list prices of {cost.pricesAsOf}, {cost.periodStart} to{" "}
                {cost.periodEnd}, from the service's own metering. Measured{" "}
                <Time at={cost.lastUpdated} />.
              </small>
              <StaleMark query={breakdown} intervalMs={BREAKDOWN_POLL_MS} />
            </p>
          </div>
        )
      }
    </QueryBody>
  );
}

/** Reading what is stored is no part of the projection: only some stores charge for it. */
function ReadingCost() {
  const { data } = useQuery(callQuery(readVerification));
  if (data === undefined || data.cycleDays === 0) return null;
  const { cycleDays, bytesPerMonth, usdPerMonth } = data;
  return (
    <small>
      Verifying all files once in {formatPlural(cycleDays, "day")} reads{" "}
      {formatBytes(bytesPerMonth)} a month,{" "}
      {usdPerMonth === 0
        ? "which costs nothing on this store."
        : `for which the bucket charges up to ${formatUsd(usdPerMonth)} at AWS's list prices.`}
    </small>
  );
}

function BudgetBar({ budget }: { readonly budget: Budget }) {
  const { percentage, daysRemaining } = budget;
  return (
    <div className="stack small">
      <Meter
        label="Monthly budget"
        percent={percentage}
        text={`${formatPercent(percentage)} of the monthly budget spent`}
        tone={budgetTone(percentage)}
      />
      <div className="between small">
        <TrackBadge budget={budget} />
        <small>{formatPlural(daysRemaining, "day")} left</small>
      </div>
    </div>
  );
}

/** The most expensive meters, then those closest to the limit of what the plan includes. */
function Drivers({ usage }: { readonly usage: readonly UsageLine[] }) {
  const ranked = usage.toSorted(
    (one, other) => other.costUsd - one.costUsd || shareUsed(other) - shareUsed(one),
  );
  const priced = ranked.filter(({ costUsd }) => costUsd > 0);
  return (
    <>
      <DriverList lines={priced} />
      {priced.length < ranked.length && (
        <details className={styles.unpriced}>
          <summary>Show all {ranked.length}</summary>
          <DriverList lines={ranked.slice(priced.length)} />
        </details>
      )}
    </>
  );
}

function DriverList({ lines }: { readonly lines: readonly UsageLine[] }) {
  return (
    <ul className={styles.drivers}>
      {lines.map((line) => (
        <li key={`${line.product} ${line.name}`} className="stack gap1 small">
          <span className="between small">
            <span>
              {line.product}: {line.name}
            </span>
            <strong>{formatUsd(line.costUsd)}</strong>
          </span>
          {line.included > 0 && (
            <Meter
              label={`${line.product} ${line.name}, of what the plan includes`}
              percent={shareUsed(line) * 100}
              text={`${Math.round(shareUsed(line) * 100)}%`}
              tone={shareUsed(line) >= 1 ? "info" : "neutral"}
            />
          )}
          <small>
            {formatQuantity(line.used)}
            {line.included > 0 && ` of ${formatQuantity(line.included)} included`} {line.unit}
          </small>
        </li>
      ))}
    </ul>
  );
}

function shareUsed({ used, included }: UsageLine): number {
  return included > 0 ? used / included : 0;
}

/** "12.4M": large amounts are abbreviated. */
function formatQuantity(amount: number): string {
  if (amount > 0 && amount < 0.05) return "<0.1";
  const steps = [1e9, 1e6, 1e3, 1];
  // What a step would round to 1,000 belongs to the next.
  const step = steps.find((one) => amount >= one * 0.99995) ?? 1;
  return `${Math.round((amount / step) * 10) / 10}${["B", "M", "K", ""][steps.indexOf(step)] ?? ""}`;
}
