import type { UseQueryResult } from "@tanstack/react-query";
import type { SystemMetrics } from "#contract/system.ts";
import { dateFormat, formatCount, formatPercent } from "#console/lib/format.ts";
import { Card } from "#console/ui/card.tsx";
import { ChartView } from "#console/ui/chart/chart-view.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { formatTick } from "#console/ui/chart/chart-scale.ts";
import { Chart } from "#console/ui/chart/lazy-chart.tsx";
import type { ChartSeries, Lane } from "#console/ui/chart/plot.ts";
import { QueryBody } from "#console/ui/query-body.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { endCellClassName, Table } from "#console/ui/list/table.tsx";
import { MAX_POINTS, usePerformanceHistory, type PerformancePoint } from "./performance-history.ts";
import { METRICS_POLL_MS } from "./system-queries.ts";
import styles from "./system.module.css";

type Series = Omit<ChartSeries, "values"> &
  Omit<Lane, "series"> & {
    readonly id: string;
    readonly read: (point: PerformancePoint) => number;
  };

const SERIES: readonly Series[] = [
  {
    id: "active",
    label: "Active Uploads",
    tone: "accent",
    read: ({ activeUploads }) => activeUploads,
    format: formatCount,
    atLeast: 2,
    smallestStep: 1,
  },
  {
    id: "storage",
    label: "Storage %",
    tone: "info",
    dash: [6, 3],
    read: ({ storagePercent }) => storagePercent,
    format: formatPercent,
    atLeast: 100,
    smallestStep: 10,
  },
  {
    id: "throughput",
    label: "Throughput (ops/min)",
    tone: "good",
    dash: [2, 3],
    read: ({ opsPerMinute }) => opsPerMinute,
    format: (value) => String(Number(value.toFixed(1))),
    atLeast: 2,
    smallestStep: 1,
  },
];

const COLLECTING = <EmptyState title="Collecting performance data..." />;

const formatClock = dateFormat({ timeStyle: "medium" });

const COLUMNS = [
  { id: "time", header: "Time" },
  ...SERIES.map(({ id, label }) => ({ id, header: label, align: "end" as const })),
];

export function PerformanceCard({ metrics }: { readonly metrics: UseQueryResult<SystemMetrics> }) {
  const points = usePerformanceHistory(metrics.data, metrics.dataUpdatedAt);
  return (
    <Card
      title="Performance Trends"
      actions={<StaleMark query={metrics} intervalMs={METRICS_POLL_MS} />}
    >
      <div className={styles.performance}>
        <ChartView
          chart={
            <div className={styles.lanes}>
              {points.length === 0 ? (
                <QueryBody query={metrics} skeleton={COLLECTING}>
                  {() => COLLECTING}
                </QueryBody>
              ) : (
                <Chart
                  label="Performance trends"
                  xs={points.map(({ atMs }) => atMs / 1_000)}
                  isTime
                  nameOf={(atSec) => formatClock(new Date(atSec * 1_000))}
                  tickOf={formatTick}
                  laneHeight={72}
                  lanes={SERIES.map(({ read, label, tone, dash, ...lane }) => ({
                    ...lane,
                    label,
                    series: [{ label, tone, values: points.map(read), ...(dash && { dash }) }],
                  }))}
                />
              )}
            </div>
          }
          table={
            <Table caption="Performance trends, newest first" columns={COLUMNS}>
              {points.toReversed().map((point) => (
                <tr key={point.atMs}>
                  <td>{formatClock(new Date(point.atMs))}</td>
                  {SERIES.map(({ id, read, format }) => (
                    <td key={id} className={endCellClassName}>
                      {format(read(point))}
                    </td>
                  ))}
                </tr>
              ))}
            </Table>
          }
          note={`The latest ${MAX_POINTS} measurements at most, one every ${METRICS_POLL_MS / 1_000} s.`}
        />
      </div>
    </Card>
  );
}
