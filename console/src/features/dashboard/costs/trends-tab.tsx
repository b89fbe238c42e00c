import { useQuery } from "@tanstack/react-query";
import type { DataOf } from "#contract/call.ts";
import type { costTrend } from "#contract/costs.ts";
import { dateFormat, formatUsd } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { ChartView } from "#console/ui/chart/chart-view.tsx";
import { Chart } from "#console/ui/chart/lazy-chart.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { endCellClassName, Table } from "#console/ui/list/table.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { BUDGET_POLL_MS, trendQuery } from "./cost-queries.ts";
import styles from "./costs.module.css";

type CostDay = DataOf<typeof costTrend>["days"][number];

const SERIES = [
  { key: "workers", label: "Workers", tone: "accent" },
  { key: "r2", label: "R2", tone: "info" },
  { key: "d1", label: "D1", tone: "good" },
  { key: "kv", label: "KV", tone: "warn" },
  { key: "queues", label: "Queues", tone: "alert" },
] as const;

const COLUMNS = [
  { id: "day", header: "Day (UTC)" },
  ...SERIES.map(({ key, label }) => ({ id: key, header: label, align: "end" as const })),
  { id: "total", header: "Total", align: "end" as const },
];

export function TrendsTab() {
  const trend = usePolling(useQuery(trendQuery()), BUDGET_POLL_MS);
  return (
    <QueryBody query={trend}>
      {({ days, projectedMonthUsd, formula }) => (
        <div className="stack narrowing gap4">
          <ChartView
            chart={
              <Chart
                label={`Cost per day over ${days.length} days, by product`}
                xs={days.map((_day, index) => index)}
                nameOf={(index) => formatDay(days[index]?.date)}
                laneHeight={150}
                lanes={[
                  {
                    label: "Cost per day",
                    bars: true,
                    format: formatUsd,
                    intervals: 4,
                    smallestStep: 0.01,
                    series: SERIES.map(({ key, ...series }) => ({
                      ...series,
                      values: days.map((day) => day[key]),
                    })),
                  },
                ]}
              />
            }
            table={<DayTable days={days} />}
            note="Days are in UTC; today is not complete."
          />
          <p className={classNames("tiny soft", styles.formula)}>
            <strong>
              {projectedMonthUsd === null
                ? "Not enough data to project the month."
                : `Projection: ${formatUsd(projectedMonthUsd)}.`}
            </strong>{" "}
            {formula}
          </p>
        </div>
      )}
    </QueryBody>
  );
}

const formatMonthDay = dateFormat({ month: "short", day: "numeric", timeZone: "UTC" });

function formatDay(date: string | undefined): string {
  return date === undefined ? "" : formatMonthDay(new Date(date));
}

function DayTable({ days }: { readonly days: readonly CostDay[] }) {
  return (
    <div className="framed">
      <Table caption="Cost per day by product" columns={COLUMNS}>
        {days.toReversed().map((day) => (
          <tr key={day.date}>
            <td className="nowrap">{day.date}</td>
            {SERIES.map(({ key }) => (
              <td key={key} className={endCellClassName}>
                {formatUsd(day[key])}
              </td>
            ))}
            <td className={endCellClassName}>{formatUsd(day.total)}</td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
