import type { HistoryMark, SystemHistory } from "#contract/system-history.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { formatCount, formatDuration, formatSpeed } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import type { Tone } from "#console/ui/badge.tsx";
import { ChartView } from "#console/ui/chart/chart-view.tsx";
import { LaneChart, type Lane } from "#console/ui/chart/lane-chart.tsx";
import { TONE_COLOURS } from "#console/ui/chart/tone-colours.ts";
import { endCellClassName, Table } from "#console/ui/list/table.tsx";
import styles from "./system.module.css";

type SeriesKey = Exclude<keyof SystemHistory, "startsAt" | "stepSec" | "marks">;

const SERIES: readonly (Omit<Lane, "values" | "id" | "unit"> & {
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
    dash: "6 3",
    format: formatSpeed,
    atLeast: 0,
    smallestStep: 0.5,
    units: bytesUnits(),
  },
  {
    id: "storedBytes",
    label: "Storage",
    tone: "good",
    dash: "2 3",
    format: formatBytes,
    atLeast: 0,
    smallestStep: 0.5,
    units: bytesUnits(),
  },
  {
    id: "failedUploads",
    label: "Failed uploads",
    tone: "bad",
    dash: "8 2 2 2",
    format: formatCount,
    atLeast: 2,
    smallestStep: 1,
    units: [1],
  },
  {
    id: "queueAgeSec",
    label: "Longest wait in the queue",
    tone: "warn",
    dash: "1 3",
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

const minute = new Intl.DateTimeFormat(undefined, {
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
  const shownMarks = marks
    .map((mark, index) => ({
      ...mark,
      number: index + 1,
      tone: MARKS[mark.kind].tone,
      index: (Date.parse(mark.at) - startMs) / (stepSec * 1_000),
    }))
    .filter(({ index }) => index >= 0 && index < points.length)
    .map((mark) => ({ ...mark, index: Math.min(mark.index, points.length - 1) }));
  const lanes = SERIES.map(({ units, ...series }) => {
    const values = points.map((point) => point[series.id]);
    const highest = Math.max(series.atLeast, ...values.map((value) => value ?? 0));
    return { ...series, values, unit: units.findLast((unit) => unit <= highest) ?? 1 };
  });
  return (
    <>
      <ChartView
        chart={
          <div className={styles.historyLanes}>
            <LaneChart
              label="System history"
              times={points.map(({ atMs }) => minute.format(atMs))}
              lanes={lanes}
              marks={shownMarks}
              onSelect={onSelect}
            />
          </div>
        }
        table={
          <div className={styles.historyTable}>
            <Table caption="System history, newest first" columns={COLUMNS}>
              {points.toReversed().map((point) => (
                <tr key={point.atMs}>
                  <td>{minute.format(point.atMs)}</td>
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
    <section className={styles.marks} aria-label="Restarts, deployments and alerts" tabIndex={0}>
      {marks.length === 0 && <p>No restarts, deployments or alerts in this time.</p>}
      <ol>
        {marks.toReversed().map(({ number, at, kind, detail, tone }) => (
          <li key={number} className={styles.mark}>
            <span className={styles.markNumber} style={{ borderColor: TONE_COLOURS[tone] }}>
              {number}
            </span>
            <time dateTime={at}>{minute.format(new Date(at))}</time>
            {visibleText(MARKS[kind].text(detail))}
          </li>
        ))}
      </ol>
    </section>
  );
}
