import type { HistoryMark, SystemHistory } from "#contract/system-history.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { formatTick } from "#console/ui/chart/chart-scale.ts";
import { dateFormat, formatCount, formatDuration, formatSpeed } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import type { Tone } from "#console/ui/badge.tsx";
import { ChartView } from "#console/ui/chart/chart-view.tsx";
import { Chart } from "#console/ui/chart/lazy-chart.tsx";
import type { ChartSeries, Lane } from "#console/ui/chart/plot.ts";
import { classNames } from "#console/ui/class-names.ts";
import { endCellClassName, Table } from "#console/ui/list/table.tsx";
import styles from "./system.module.css";

type SeriesKey = Exclude<keyof SystemHistory, "startsAt" | "stepSec" | "marks">;

const SERIES: readonly (Omit<ChartSeries, "values"> &
  Omit<Lane, "label" | "series" | "unit"> & {
    readonly id: SeriesKey;
    readonly units: readonly number[];
  })[] = [
  {
    id: "activeUploads",
    label: "Active uploads",
    tone: "accent",
    format: formatCount,
    atLeast: 2,
    smallestStep: 1,
    units: [1],
  },
  {
    id: "bytesPerSec",
    label: "Bytes copied per second",
    tone: "info",
    dash: [6, 3],
    format: formatSpeed,
    atLeast: 0,
    smallestStep: 0.5,
    units: bytesUnits(),
  },
  {
    id: "storedBytes",
    label: "Storage",
    tone: "good",
    dash: [2, 3],
    format: formatBytes,
    atLeast: 0,
    smallestStep: 0.5,
    units: bytesUnits(),
  },
  {
    id: "failedUploads",
    label: "Failed uploads",
    tone: "bad",
    dash: [8, 2, 2, 2],
    format: formatCount,
    atLeast: 2,
    smallestStep: 1,
    units: [1],
  },
  {
    id: "queueAgeSec",
    label: "Longest wait in the queue",
    tone: "warn",
    dash: [1, 3],
    format: formatAge,
    atLeast: 60,
    smallestStep: 1,
    units: [1, 60, 3_600, 86_400],
  },
];

/** "10m" instead of "10m 0s". */
function formatAge(seconds: number): string {
  return formatDuration(seconds).replace(/ 0\w$/, "");
}

/** Sizes are shown in units of 1,024. */
function bytesUnits(): readonly number[] {
  return Array.from({ length: 5 }, (_unit, power) => 1_024 ** power);
}

const MARKS: Readonly<
  Record<HistoryMark["kind"], { readonly tone: Tone; readonly text: (detail: string) => string }>
> = {
  start: { tone: "neutral", text: (version) => `Started, version ${version}` },
  deployment: { tone: "accent", text: (version) => `New version ${version} started` },
  restart: { tone: "info", text: () => "Workers restarted" },
  alert: { tone: "bad", text: (title) => `Alert: ${title}` },
};

const formatMinute = dateFormat({
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});

const COLUMNS = [
  { id: "time", header: "From" },
  ...SERIES.map(({ id, label }) => ({ id, header: label, align: "end" as const })),
];

export type Point = { readonly atMs: number } & Readonly<Record<SeriesKey, number | null>>;

export function pointsOf(history: SystemHistory): readonly Point[] {
  const startMs = Date.parse(history.startsAt);
  return history.activeUploads.map((activeUploads, index) => ({
    atMs: startMs + index * history.stepSec * 1_000,
    activeUploads,
    bytesPerSec: history.bytesPerSec[index] ?? null,
    storedBytes: history.storedBytes[index] ?? null,
    failedUploads: history.failedUploads[index] ?? null,
    queueAgeSec: history.queueAgeSec[index] ?? null,
  }));
}

function isEmpty(point: Point): boolean {
  return SERIES.every(({ id }) => point[id] === null);
}

/** One lane per series, with the marks, as a chart or a table. */
export function HistoryLanes({
  points,
  stepSec,
  marks,
  onSelect,
}: {
  readonly points: readonly Point[];
  readonly stepSec: number;
  readonly marks: readonly HistoryMark[];
  readonly onSelect: (from: number, to: number) => void;
}) {
  const startMs = points[0]?.atMs ?? 0;
  const endMs = points.at(-1)?.atMs ?? 0;
  const shownMarks = marks
    .map((mark, index) => ({
      ...mark,
      number: index + 1,
      tone: MARKS[mark.kind].tone,
      x: Math.min(Date.parse(mark.at), endMs) / 1_000,
    }))
    .filter(({ at }) => Date.parse(at) >= startMs && Date.parse(at) < endMs + stepSec * 1_000);
  const lanes = SERIES.map(({ id, units, label, tone, dash, ...lane }) => {
    const values = points.map((point) => point[id]);
    const highest = Math.max(lane.atLeast ?? 0, ...values.map((value) => value ?? 0));
    const unit = units.findLast((each) => each <= highest) ?? 1;
    return { ...lane, label, unit, series: [{ label, tone, values, ...(dash && { dash }) }] };
  });
  return (
    <>
      <ChartView
        chart={
          <div className={styles.historyLanes}>
            <Chart
              label="System history"
              xs={points.map(({ atMs }) => atMs / 1_000)}
              isTime
              nameOf={(atSec) => formatMinute(new Date(atSec * 1_000))}
              tickOf={formatTick}
              laneHeight={72}
              lanes={lanes}
              marks={shownMarks}
              onSelect={onSelect}
            >
              {formatMinute(new Date(startMs))} to {formatMinute(new Date(endMs))}
            </Chart>
          </div>
        }
        table={
          <div className={styles.historyTable}>
            <Table caption="System history, newest first" columns={COLUMNS}>
              {points.toReversed().map((point) => (
                <tr key={point.atMs}>
                  <td>{formatMinute(new Date(point.atMs))}</td>
                  {SERIES.map(({ id, format }) => (
                    <td key={id} className={endCellClassName}>
                      {point[id] === null ? "—" : format(point[id])}
                    </td>
                  ))}
                </tr>
              ))}
            </Table>
          </div>
        }
        note={
          points.every(isEmpty)
            ? "Collecting the first samples: the service records one every minute."
            : `One point is ${formatAge(stepSec)}: peaks, failures, average speed. Drag to zoom.`
        }
      />
      <MarkList marks={shownMarks} />
    </>
  );
}

function MarkList({
  marks,
}: {
  readonly marks: readonly (HistoryMark & { readonly number: number; readonly tone: Tone })[];
}) {
  return (
    // A scrolling region must be reachable by keyboard.
    <section
      className={classNames("small soft", styles.marks)}
      aria-label="Restarts, deployments and alerts"
      tabIndex={0}
    >
      {marks.length === 0 && <p>No restarts, deployments or alerts in this time.</p>}
      <ol>
        {marks.toReversed().map(({ number, at, kind, detail, tone }) => (
          <li key={number} className={classNames("row", styles.mark)}>
            <span className={styles.markNumber} style={{ borderColor: `var(--${tone})` }}>
              {number}
            </span>
            <time dateTime={at} className="faint nowrap">
              {formatMinute(new Date(at))}
            </time>
            {visibleText(MARKS[kind].text(detail))}
          </li>
        ))}
      </ol>
    </section>
  );
}
