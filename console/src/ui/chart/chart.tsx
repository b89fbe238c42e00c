import { useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from "react";
import type { PointerEvent, ReactNode } from "react";
import type UPlot from "uplot";
import { useMediaQuery } from "#console/lib/media-query.ts";
import { useTheme } from "#console/lib/theme.ts";
import { classNames } from "../class-names.ts";
import styles from "./chart.module.css";
import { createPlot, plotData, type ChartMark, type ChartSeries, type Lane } from "./plot.ts";

/**
 * Lines or bars over the same points, in lanes with an axis each: a count, a percentage and a rate
 * cannot share one. A crosshair spans all lanes, a tooltip at the pointer has the figures, and
 * dragging selects a span. The drawing is a canvas; `ChartView` has the same figures as a table.
 */
export function Chart({
  label,
  lanes,
  xs,
  nameOf,
  tickOf = nameOf,
  isTime = false,
  laneHeight,
  marks = [],
  onSelect,
  children,
}: {
  readonly label: string;
  readonly lanes: readonly Lane[];
  /** Unix time in seconds, or ordinals; ascending. */
  readonly xs: readonly number[];
  /** Label of a point. */
  readonly nameOf: (x: number) => string;
  /** Label of a tick; `step` is the distance between two. */
  readonly tickOf?: (x: number, step: number) => string;
  readonly isTime?: boolean;
  /** In CSS pixels, without the axis of the last lane. */
  readonly laneHeight: number;
  readonly marks?: readonly ChartMark[];
  /** Takes the first and last index of a dragged span. */
  readonly onSelect?: (from: number, to: number) => void;
  readonly children?: ReactNode;
}) {
  const key = useId();
  const colours = [
    useTheme(),
    useMediaQuery("(prefers-color-scheme: dark)"),
    useMediaQuery("(forced-colors: active)"),
  ].join();
  const [index, setIndex] = useState<number | null>(null);
  const [pointer, setPointer] = useState({ left: 0, top: 0 });
  function follow(event: PointerEvent<HTMLElement>) {
    const box = event.currentTarget.getBoundingClientRect();
    setPointer({ left: event.clientX - box.left, top: event.clientY - box.top });
  }
  const shown = index === null ? undefined : xs[index];
  return (
    <figure
      className={classNames("stack narrowing gap3", styles.chart, onSelect && styles.selectable)}
      aria-label={label}
      onPointerMove={follow}
    >
      {lanes.map((lane, place) => (
        <div key={lane.label} className="stack narrowing gap1">
          <div className={classNames("wrap", styles.keys)}>
            {lane.series.map((series) => (
              <Key key={series.label} lane={lane} series={series} index={null} />
            ))}
          </div>
          <Plot
            // Other colours and series need a new plot; new figures do not.
            key={[colours, marks.length > 0, ...lane.series.map((series) => series.label)].join()}
            lane={lane}
            height={laneHeight}
            options={{ key, isFirst: place === 0, isLast: place === lanes.length - 1 }}
            span={{ xs, tickOf, isTime, marks, onPoint: setIndex, onSelect }}
          />
        </div>
      ))}
      {children !== undefined && (
        <figcaption className={classNames("note", styles.note)}>{children}</figcaption>
      )}
      {shown !== undefined && (
        <div
          className={classNames("stack gap1 tiny", styles.tooltip)}
          style={{ left: `min(${pointer.left}px, 100% - 14rem)`, top: pointer.top }}
          aria-hidden="true"
        >
          <strong>{nameOf(shown)}</strong>
          {lanes.map((lane) =>
            lane.series.map((series) => (
              <Key key={series.label} lane={lane} series={series} index={index} />
            )),
          )}
        </div>
      )}
    </figure>
  );
}

/** A series with its value at a point, by default the latest one. */
function Key({
  lane: { bars, format },
  series: { label, tone, dash, values },
  index,
}: {
  readonly lane: Lane;
  readonly series: ChartSeries;
  readonly index: number | null;
}) {
  const value =
    (index === null ? values.findLast((known) => known !== null) : values[index]) ?? null;
  return (
    <span className={classNames("row small soft", styles.key)}>
      <svg className={styles.swatch} viewBox="0 0 24 8" aria-hidden="true">
        <line
          {...(bars ? { x1: 8, x2: 16, strokeWidth: 8 } : { x1: 1, x2: 23, strokeWidth: 2 })}
          y1="4"
          y2="4"
          stroke={`var(--${tone})`}
          strokeDasharray={dash?.join(" ")}
        />
      </svg>
      {label} <strong>{value === null ? "—" : format(value)}</strong>
    </span>
  );
}

function Plot({
  lane,
  span,
  height,
  options,
}: {
  readonly lane: Lane;
  readonly span: Parameters<typeof plotData>[1];
  readonly height: number;
  readonly options: Pick<Parameters<typeof createPlot>[0], "key" | "isFirst" | "isLast">;
}) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const data = plotData(lane, span);
  const figures = JSON.stringify([data, lane.unit, span.marks]);
  const drawn = useRef(figures);
  const read = useEffectEvent(() => ({ lane, span, figures }));
  const { key, isFirst, isLast } = options;
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const created = createPlot({ place: current, height, key, isFirst, isLast, read });
    plot.current = created;
    drawn.current = read().figures;
    const observer = new ResizeObserver(() => {
      const { clientWidth: width } = current;
      if (width !== created.width) created.setSize({ width, height: created.height });
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      created.destroy();
    };
  }, [height, key, isFirst, isLast]);
  useEffect(() => {
    if (drawn.current === figures) return;
    drawn.current = figures;
    plot.current?.setData(data);
  });
  return (
    <div
      ref={place}
      className={styles.plot}
      role="img"
      aria-label={lane.series.map((series) => summaryOf(lane, series)).join("; ")}
    />
  );
}

function summaryOf({ format }: Lane, { label, values }: ChartSeries): string {
  const known = values.filter((value) => value !== null);
  return `${label}, from ${format(known[0] ?? 0)} to ${format(known.at(-1) ?? 0)}`;
}
