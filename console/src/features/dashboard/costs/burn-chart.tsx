import { formatUsd } from "#console/lib/format.ts";
import { Chart } from "#console/ui/chart/lazy-chart.tsx";
import type { ChartSeries } from "#console/ui/chart/plot.ts";

/** Spending so far, its projection, and the pace that would exactly use up the budget. */
export function BurnChart({
  burn: { dayCount, spentUsd },
  budgetUsd,
  projectedUsd,
}: {
  readonly burn: Burn;
  readonly budgetUsd: number | undefined;
  readonly projectedUsd: number | null;
}) {
  const today = spentUsd.length;
  const spent = spentUsd.at(-1) ?? 0;
  // Day 0 is the month's start, with nothing spent.
  const days = Array.from({ length: dayCount + 1 }, (_day, day) => day);
  const projection = (day: number) =>
    spent + ((projectedUsd ?? 0) - spent) * ((day - today) / Math.max(dayCount - today, 1));
  const series: ChartSeries[] = [
    {
      label: "Spent",
      tone: "accent",
      values: days.map((day) => (day === 0 ? 0 : (spentUsd[day - 1] ?? null))),
    },
  ];
  if (projectedUsd !== null)
    series.push({
      label: "Projected",
      tone: "alert",
      dash: [5, 4],
      values: days.map((day) => (day < today ? null : projection(day))),
    });
  if (budgetUsd !== undefined)
    series.push({
      label: "Even pace up to the budget",
      tone: "neutral",
      dash: [1.5, 4],
      values: days.map((day) => (budgetUsd / dayCount) * day),
    });
  return (
    <Chart
      label="Spending this month"
      xs={days}
      nameOf={(day) => `Day ${day}`}
      laneHeight={170}
      lanes={[{ label: "Spending", format: formatUsd, intervals: 4, smallestStep: 0.01, series }]}
    />
  );
}

const DAY_MS = 86_400_000;

export type Burn = {
  /** Days in the month. */
  readonly dayCount: number;
  /** Total spent by the end of each day, from the first to today. */
  readonly spentUsd: readonly number[];
};

/** Cumulative spending of the month; a day without a row cost nothing. */
export function monthBurn(
  days: readonly { readonly date: string; readonly total: number }[],
  periodStart: string,
  periodEnd: string,
): Burn {
  const startMs = Date.parse(periodStart);
  const dayCount = Math.max(1, Math.round((Date.parse(periodEnd) - startMs) / DAY_MS) + 1);
  const costByDay = new Map(days.map(({ date, total }) => [date, total]));
  const lastDate = days.reduce((last, { date }) => (date > last ? date : last), periodStart);
  const spentUsd: number[] = [];
  for (let day = 0; day < dayCount; day += 1) {
    const date = new Date(startMs + day * DAY_MS).toISOString().slice(0, 10);
    if (date > lastDate) break;
    spentUsd.push((spentUsd.at(-1) ?? 0) + (costByDay.get(date) ?? 0));
  }
  return { dayCount, spentUsd };
}
