import { useState, type PointerEvent } from "react";
import type { Tone } from "../badge.tsx";
import { classNames } from "../class-names.ts";
import { areaPath, axisUpTo, linePath, nearestIndex, spaced, stretchesOf } from "./chart-scale.ts";
import styles from "./chart.module.css";
import { useElementWidth } from "./element-width.ts";
import { TONE_COLOURS } from "./tone-colours.ts";

export type Lane = {
  readonly id: string;
  readonly label: string;
  readonly tone: Tone;
  /** SVG dash pattern of the line, so that lanes differ by more than colour. */
  readonly dash?: string;
  /** Null is a gap. */
  readonly values: readonly (number | null)[];
  readonly format: (value: number) => string;
  /** Minimum top of the axis. */
  readonly atLeast: number;
  readonly smallestStep: number;
  /** Ticks are round in it, e.g. in megabytes; 1 by default. */
  readonly unit?: number;
};

/** Something that happened at a time, drawn as a numbered line through all lanes. */
export type ChartMark = {
  readonly number: number;
  /** Its place among the points; in between is a fraction. */
  readonly index: number;
  readonly tone: Tone;
};

const HEIGHT = 72;
const LEFT = 56;
const RIGHT = 6;
const TOP = 6;
const BASE = HEIGHT - 6;
const MARKS_HEIGHT = 14;
/** Numbers closer than this would overlap; the line is drawn without its number. */
const MARK_WIDTH = 14;

/** Fewer points are a click, or too few to draw. */
export const FEWEST_SELECTED = 3;

/**
 * Lines over the same times, each in its own lane with its own axis: a count, a percentage and a
 * rate cannot share one. One crosshair spans all lanes; dragging along them selects a span.
 */
export function LaneChart({
  label,
  times,
  lanes,
  marks,
  onSelect,
}: {
  readonly label: string;
  /** Label of each point, e.g. "14:05:10". */
  readonly times: readonly string[];
  readonly lanes: readonly Lane[];
  readonly marks?: readonly ChartMark[];
  /** Takes the first and last point of a dragged span. */
  readonly onSelect?: (from: number, to: number) => void;
}) {
  const [plot, width] = useElementWidth<HTMLDivElement>();
  const [pointed, setPointed] = useState<number | null>(null);
  const [draggedFrom, setDraggedFrom] = useState<number | null>(null);
  const last = times.length - 1;
  const shown = pointed === null || pointed > last ? last : pointed;
  const innerWidth = Math.max(width - LEFT - RIGHT, 0);

  function indexAt(event: PointerEvent<HTMLElement>): number {
    const box = event.currentTarget.getBoundingClientRect();
    return nearestIndex((event.clientX - box.left - LEFT) / innerWidth, times.length);
  }
  function startDrag(event: PointerEvent<HTMLElement>) {
    if (onSelect === undefined || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDraggedFrom(indexAt(event));
  }
  function endDrag(event: PointerEvent<HTMLElement>) {
    const to = indexAt(event);
    setDraggedFrom(null);
    if (draggedFrom === null || Math.abs(to - draggedFrom) + 1 < FEWEST_SELECTED) return;
    onSelect?.(Math.min(draggedFrom, to), Math.max(draggedFrom, to));
  }
  return (
    <figure
      className={classNames(styles.lanes, onSelect && styles.selectable)}
      aria-label={label}
      onPointerMove={(event) => setPointed(indexAt(event))}
      onPointerLeave={() => setPointed(null)}
      onPointerDown={startDrag}
      onPointerUp={endDrag}
      onPointerCancel={() => setDraggedFrom(null)}
    >
      {marks !== undefined && (
        <MarkNumbers marks={marks} points={times.length} innerWidth={innerWidth} />
      )}
      {lanes.map((lane, index) => (
        <div key={lane.id} className={styles.lane}>
          <div className={styles.laneHead}>
            <LineSwatch tone={lane.tone} dash={lane.dash} />
            <span>{lane.label}</span>
            <strong>{formatValue(lane, shown)}</strong>
          </div>
          <div className={styles.plot} ref={index === 0 ? plot : undefined}>
            <LanePlot
              lane={lane}
              innerWidth={innerWidth}
              shown={shown}
              crosshair={pointed !== null}
              marks={marks ?? []}
              selected={draggedFrom === null || pointed === null ? null : [draggedFrom, pointed]}
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

function formatValue({ values, format }: Lane, index: number): string {
  const value = values.at(index) ?? null;
  return value === null ? "—" : format(value);
}

/** Where a point is; a single one is at the end. */
function xOf(index: number, points: number, innerWidth: number): number {
  return LEFT + (points === 1 ? 1 : index / (points - 1)) * innerWidth;
}

function MarkNumbers({
  marks,
  points,
  innerWidth,
}: {
  readonly marks: readonly ChartMark[];
  readonly points: number;
  readonly innerWidth: number;
}) {
  const places = marks.map(({ number, index }) => ({ number, x: xOf(index, points, innerWidth) }));
  return (
    <div className={styles.plot} aria-hidden="true">
      <svg height={MARKS_HEIGHT}>
        {spaced(places, MARK_WIDTH).map(({ number, x }) => (
          <text key={number} className={styles.tick} x={x} y={MARKS_HEIGHT - 3} textAnchor="middle">
            {number}
          </text>
        ))}
      </svg>
    </div>
  );
}

function LanePlot({
  lane,
  innerWidth,
  shown,
  crosshair,
  marks,
  selected,
}: {
  readonly lane: Lane;
  readonly innerWidth: number;
  readonly shown: number;
  readonly crosshair: boolean;
  readonly marks: readonly ChartMark[];
  readonly selected: readonly [number, number] | null;
}) {
  const { values, unit = 1 } = lane;
  const highest = Math.max(lane.atLeast, ...values.map((value) => value ?? 0));
  const axis = axisUpTo(highest / unit, 2, lane.smallestStep);
  const x = (index: number) => xOf(index, values.length, innerWidth);
  const y = (value: number) => BASE - (value / unit / axis.top) * (BASE - TOP);
  const points = values.map((value, index) =>
    value === null ? null : { x: x(index), y: y(value) },
  );
  const dot = points[shown] ?? null;
  const colour = TONE_COLOURS[lane.tone];
  const known = values.filter((value) => value !== null);
  const ends = `from ${lane.format(known[0] ?? 0)} to ${lane.format(known.at(-1) ?? 0)}`;
  return (
    <svg height={HEIGHT} role="img" aria-label={`${lane.label}, ${ends}`}>
      {axis.ticks.map((tick) => (
        <g key={tick}>
          <line
            className={styles.grid}
            x1={LEFT}
            x2={LEFT + innerWidth}
            y1={y(tick * unit)}
            y2={y(tick * unit)}
          />
          <text className={styles.tick} x={LEFT - 6} y={y(tick * unit) + 4} textAnchor="end">
            {lane.format(tick * unit)}
          </text>
        </g>
      ))}
      {stretchesOf(points).map((stretch, index) => (
        <g key={index}>
          <path className={styles.area} d={areaPath(stretch, BASE)} fill={colour} />
          <path
            className={styles.line}
            // A line of one point shows as a dot.
            d={linePath(stretch.length === 1 ? [...stretch, ...stretch] : stretch)}
            stroke={colour}
            strokeDasharray={lane.dash}
          />
        </g>
      ))}
      {marks.map(({ number, index, tone }) => (
        <line
          key={number}
          className={styles.mark}
          x1={x(index)}
          x2={x(index)}
          y1={0}
          y2={BASE}
          stroke={TONE_COLOURS[tone]}
        />
      ))}
      {selected !== null && (
        <rect
          className={styles.selected}
          x={x(Math.min(...selected))}
          width={x(Math.max(...selected)) - x(Math.min(...selected))}
          y={0}
          height={BASE}
        />
      )}
      {crosshair && (
        <line className={styles.cross} x1={x(shown)} x2={x(shown)} y1={TOP} y2={BASE} />
      )}
      {dot !== null && <circle className={styles.dot} cx={dot.x} cy={dot.y} r={4} fill={colour} />}
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
