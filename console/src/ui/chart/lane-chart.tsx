import { useState, type PointerEvent } from "react";
import type { Tone } from "../badge.tsx";
import { areaPath, axisUpTo, linePath, nearestIndex, type ChartPoint } from "./chart-scale.ts";
import styles from "./chart.module.css";
import { useElementWidth } from "./element-width.ts";
import { TONE_COLOURS } from "./tone-colours.ts";

export type Lane = {
  readonly id: string;
  readonly label: string;
  readonly tone: Tone;
  /** SVG dash pattern of the line, so that lanes differ by more than colour. */
  readonly dash?: string;
  readonly values: readonly number[];
  readonly format: (value: number) => string;
  /** Minimum top of the axis. */
  readonly atLeast: number;
  readonly smallestStep: number;
};

const HEIGHT = 72;
const LEFT = 40;
const RIGHT = 6;
const TOP = 6;
const BASE = HEIGHT - 6;

/**
 * Lines over the same times, each in its own lane with its own axis: a count, a percentage and a
 * rate cannot share one. One crosshair spans all lanes.
 */
export function LaneChart({
  label,
  times,
  lanes,
}: {
  readonly label: string;
  /** Label of each point, e.g. "14:05:10". */
  readonly times: readonly string[];
  readonly lanes: readonly Lane[];
}) {
  const [plot, width] = useElementWidth<HTMLDivElement>();
  const [pointed, setPointed] = useState<number | null>(null);
  const last = times.length - 1;
  const shown = pointed === null || pointed > last ? last : pointed;
  const innerWidth = Math.max(width - LEFT - RIGHT, 0);

  function point(event: PointerEvent<HTMLElement>) {
    const box = event.currentTarget.getBoundingClientRect();
    setPointed(nearestIndex((event.clientX - box.left - LEFT) / innerWidth, times.length));
  }
  return (
    <figure
      className={styles.lanes}
      aria-label={label}
      onPointerMove={point}
      onPointerLeave={() => setPointed(null)}
    >
      {lanes.map((lane, index) => (
        <div key={lane.id} className={styles.lane}>
          <div className={styles.laneHead}>
            <LineSwatch tone={lane.tone} dash={lane.dash} />
            <span>{lane.label}</span>
            <strong>{lane.format(lane.values[shown] ?? 0)}</strong>
          </div>
          <div className={styles.plot} ref={index === 0 ? plot : undefined}>
            <LanePlot
              lane={lane}
              innerWidth={innerWidth}
              marked={shown}
              crosshair={pointed !== null}
            />
          </div>
        </div>
      ))}
      <figcaption className={styles.note}>
        {times.length === 1
          ? `Measured at ${times[0]}`
          : `${times[0]} to ${times.at(-1)}${pointed === null ? "" : `, shown: ${times[shown]}`}`}
      </figcaption>
    </figure>
  );
}

function LanePlot({
  lane,
  innerWidth,
  marked,
  crosshair,
}: {
  readonly lane: Lane;
  readonly innerWidth: number;
  readonly marked: number;
  readonly crosshair: boolean;
}) {
  const { values } = lane;
  const axis = axisUpTo(Math.max(lane.atLeast, ...values), 2, lane.smallestStep);
  const y = (value: number) => BASE - (value / axis.top) * (BASE - TOP);
  const points: ChartPoint[] = values.map((value, index) => ({
    x: LEFT + (values.length === 1 ? innerWidth : (index / (values.length - 1)) * innerWidth),
    y: y(value),
  }));
  const mark = points[marked];
  const colour = TONE_COLOURS[lane.tone];
  const ends = `from ${lane.format(values[0] ?? 0)} to ${lane.format(values.at(-1) ?? 0)}`;
  return (
    <svg height={HEIGHT} role="img" aria-label={`${lane.label}, ${ends}`}>
      {axis.ticks.map((tick) => (
        <g key={tick}>
          <line
            className={styles.grid}
            x1={LEFT}
            x2={LEFT + innerWidth}
            y1={y(tick)}
            y2={y(tick)}
          />
          <text className={styles.tick} x={LEFT - 6} y={y(tick) + 4} textAnchor="end">
            {lane.format(tick)}
          </text>
        </g>
      ))}
      <path className={styles.area} d={areaPath(points, BASE)} fill={colour} />
      <path
        className={styles.line}
        d={linePath(points)}
        stroke={colour}
        strokeDasharray={lane.dash}
      />
      {crosshair && mark !== undefined && (
        <line className={styles.cross} x1={mark.x} x2={mark.x} y1={TOP} y2={BASE} />
      )}
      {mark !== undefined && (
        <circle className={styles.dot} cx={mark.x} cy={mark.y} r={4} fill={colour} />
      )}
    </svg>
  );
}

export function LineSwatch({
  tone,
  dash,
}: {
  readonly tone: Tone;
  readonly dash?: string | undefined;
}) {
  return (
    <svg className={styles.swatch} viewBox="0 0 24 8" aria-hidden="true">
      <line
        className={styles.line}
        x1="1"
        x2="23"
        y1="4"
        y2="4"
        stroke={TONE_COLOURS[tone]}
        strokeDasharray={dash}
      />
    </svg>
  );
}
