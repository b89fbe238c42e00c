import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Tone } from "../badge.tsx";
import { axisUpTo, FEWEST_SELECTED, spaced } from "./chart-scale.ts";

export type ChartSeries = {
  readonly label: string;
  readonly tone: Tone;
  /** Lengths of dashes and gaps, so that lines differ by more than colour. */
  readonly dash?: readonly number[];
  /** Null is a gap. */
  readonly values: readonly (number | null)[];
};

export type Lane = {
  readonly label: string;
  readonly series: readonly ChartSeries[];
  /** Series of bars stand on each other. */
  readonly bars?: boolean;
  readonly format: (value: number) => string;
  /** Minimum top of the axis. */
  readonly atLeast?: number;
  readonly smallestStep: number;
  /** Ticks are round in it, e.g. in megabytes; 1 by default. */
  readonly unit?: number;
  readonly intervals?: number;
};

/** Something that happened, drawn as a numbered line through all lanes. */
export type ChartMark = { readonly number: number; readonly x: number; readonly tone: Tone };

/** What all lanes share. */
export type ChartSpan = {
  /** Unix time in seconds, or ordinals; ascending. */
  readonly xs: readonly number[];
  /** Label of a tick; `step` is the distance between two, in the unit of `xs`. */
  readonly tickOf: (x: number, step: number) => string;
  readonly isTime: boolean;
  readonly marks: readonly ChartMark[];
  /** Null without a pointer. */
  readonly onPoint: (index: number | null) => void;
  /** Takes the first and last index of a dragged span. */
  readonly onSelect?: ((from: number, to: number) => void) | undefined;
};

/** Holds "1 Bytes/s", which stands there when nothing is copied. */
const Y_AXIS_WIDTH = 66;
const X_AXIS_HEIGHT = 24;
/** Keeps labels such as "12:00:00 AM" apart. */
const TIME_LABEL_WIDTH = 80;
const MARKS_HEIGHT = 14;
/** Numbers closer than this would overlap; the line is drawn without its number. */
const MARK_WIDTH = 14;
const AREA_PERCENT = 12;
const BAR_SHARE = 0.7;
const BAR_MAX_WIDTH = 28;

export type PlotOptions = {
  readonly place: HTMLElement;
  readonly height: number;
  /** Lanes of one key share the crosshair. */
  readonly key: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Read at each drawing, so that new figures do not need a new plot. */
  readonly read: () => { readonly lane: Lane; readonly span: ChartSpan };
};

/** Draws one lane on a canvas; the caller destroys it. */
export function createPlot({ place, height, key, isFirst, isLast, read }: PlotOptions): UPlot {
  const colour = (token: string) => resolveColour(place, token);
  const font = `12px ${getComputedStyle(place).fontFamily}`;
  const grid = { stroke: () => colour("var(--line)"), width: 1 };
  const axis = { stroke: () => colour("var(--text-faint)"), font, ticks: { show: false } };
  const { lane, span } = read();
  const plot: UPlot = new UPlot(
    {
      width: Math.max(place.clientWidth, 1),
      height: height + (isFirst && span.marks.length > 0 ? MARKS_HEIGHT : 0) + xHeight(isLast),
      legend: { show: false },
      padding: [isFirst && span.marks.length > 0 ? MARKS_HEIGHT : 6, 24, isLast ? 0 : 8, 0],
      cursor: {
        y: false,
        sync: { key },
        drag: { x: span.onSelect !== undefined, y: false, setScale: false },
        points: { show: !lane.bars },
      },
      scales: {
        x: {
          time: span.isTime,
          range: () => {
            const { xs } = read().span;
            const from = xs[0] ?? 0;
            const to = xs.at(-1) ?? from;
            return lane.bars ? [from - 0.5, to + 0.5] : [from === to ? from - 60 : from, to];
          },
        },
        y: { range: () => [0, axisOf(read().lane).top] },
      },
      axes: [
        {
          ...axis,
          show: isLast,
          size: X_AXIS_HEIGHT,
          grid: { show: false },
          ...(span.isTime ? { space: TIME_LABEL_WIDTH } : { incrs: [1, 2, 5, 7, 10, 14] }),
          values: (_plot, ticks, _axis, _space, step) =>
            ticks.map((tick) => read().span.tickOf(tick, step)),
        },
        {
          ...axis,
          size: Y_AXIS_WIDTH,
          gap: 6,
          grid,
          splits: () => [...axisOf(read().lane).ticks],
          values: (_plot, ticks) => ticks.map((tick) => read().lane.format(tick)),
        },
      ],
      // The stacks are drawn from the tallest to the lowest.
      series: [{}, ...drawnSeries(lane).map((series) => seriesOptions(lane, series, colour))],
      hooks: {
        setCursor: [({ cursor }) => read().span.onPoint(cursor.idx ?? null)],
        setSelect: [() => select(plot, read().span)],
        draw: [() => drawMarks(plot, read().span.marks, isFirst, colour, font)],
      },
    },
    plotData(lane, span),
    place,
  );
  return plot;
}

function xHeight(isLast: boolean): number {
  return isLast ? X_AXIS_HEIGHT : 0;
}

/** What `setData` takes. */
export function plotData(lane: Lane, { xs }: ChartSpan): UPlot.AlignedData {
  return [[...xs], ...drawnSeries(lane).map(({ values }) => [...values])];
}

/** Bars: each with the sum of those below it, the tallest first. */
function drawnSeries(lane: Lane): readonly ChartSeries[] {
  if (!lane.bars) return lane.series;
  const sums: number[] = [];
  return lane.series
    .map((series) => ({
      ...series,
      values: series.values.map((value, index) => {
        sums[index] = (sums[index] ?? 0) + (value ?? 0);
        return value === 0 ? null : sums[index];
      }),
    }))
    .toReversed();
}

function seriesOptions(
  { bars, series }: Lane,
  { tone, dash }: ChartSeries,
  colour: (token: string) => string,
): UPlot.Series {
  const token = `var(--${tone})`;
  if (bars) {
    const paths = UPlot.paths.bars?.({ size: [BAR_SHARE, BAR_MAX_WIDTH] });
    return {
      width: 1,
      stroke: () => colour("var(--surface)"),
      fill: () => colour(token),
      points: { show: false },
      ...(paths && { paths }),
    };
  }
  return {
    width: 2,
    stroke: () => colour(token),
    // Forced colours have no shades.
    ...((dash === undefined || series.length === 1) &&
      !matchMedia("(forced-colors: active)").matches && {
        fill: () => colour(`color-mix(in oklch, ${token} ${AREA_PERCENT}%, transparent)`),
      }),
    ...(dash && { dash: [...dash] }),
    // A point between two gaps has no line.
    points: { show: true, size: 5, filter: (plot, index) => lonePoints(plot.data[index] ?? []) },
  };
}

function lonePoints(values: ArrayLike<number | null | undefined>): number[] {
  const isGap = (index: number) => (values[index] ?? null) === null;
  return Array.from(values, (_value, index) => index).filter(
    (index) => !isGap(index) && isGap(index - 1) && isGap(index + 1),
  );
}

function axisOf(lane: Lane) {
  const { unit = 1, atLeast = 0, smallestStep, intervals = 2 } = lane;
  const values = drawnSeries(lane).flatMap((series) => series.values);
  const highest = Math.max(atLeast, ...values.map((value) => value ?? 0));
  const { top, ticks } = axisUpTo(highest / unit, intervals, smallestStep);
  return { top: top * unit, ticks: ticks.map((tick) => tick * unit) };
}

function select(plot: UPlot, { onSelect }: ChartSpan): void {
  const { left, width } = plot.select;
  if (width === 0) return;
  const [from, to] = [plot.posToIdx(left), plot.posToIdx(left + width)];
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (to - from + 1 >= FEWEST_SELECTED) onSelect?.(from, to);
}

function drawMarks(
  plot: UPlot,
  marks: readonly ChartMark[],
  areNumbered: boolean,
  colour: (token: string) => string,
  font: string,
): void {
  const { ctx, bbox } = plot;
  const ratio = UPlot.pxRatio;
  const places = marks.map((mark) => ({ ...mark, atPx: plot.valToPos(mark.x, "x", true) }));
  ctx.save();
  ctx.lineWidth = 1.5 * ratio;
  for (const { atPx, tone } of places) {
    ctx.strokeStyle = colour(`var(--${tone})`);
    ctx.beginPath();
    ctx.moveTo(atPx, bbox.top);
    ctx.lineTo(atPx, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.font = font.replace("12px", `${12 * ratio}px`);
  ctx.textAlign = "center";
  ctx.fillStyle = colour("var(--text-faint)");
  if (areNumbered)
    for (const { number, atPx } of spaced(places, MARK_WIDTH * ratio))
      ctx.fillText(String(number), atPx, bbox.top - 5 * ratio);
  ctx.restore();
}

/** A canvas knows neither custom properties nor `light-dark()`. */
function resolveColour(place: HTMLElement, token: string): string {
  place.style.color = token;
  return getComputedStyle(place).color;
}
