/** Axis and path arithmetic of charts, without rendering. */
export type Axis = {
  /** The value at the top. */
  readonly top: number;
  /** From 0 to the top, in equal steps. */
  readonly ticks: readonly number[];
};

const STEPS = [1, 2, 2.5, 5, 10];

/**
 * An axis from 0 with round ticks. `smallestStep` avoids fractional ticks for counts, and an axis
 * of zero height for zeros.
 */
export function axisUpTo(maximum: number, intervals: number, smallestStep: number): Axis {
  const wanted = Math.max(maximum, 0) / intervals;
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(wanted, smallestStep)));
  const round = STEPS.map((step) => step * magnitude).find((step) => step >= wanted * (1 - 1e-9));
  const step = Math.max(round ?? smallestStep, smallestStep);
  const count = Math.max(1, Math.ceil(maximum / step - 1e-9));
  const ticks = Array.from({ length: count + 1 }, (_tick, index) => cleaned(index * step));
  return { top: cleaned(count * step), ticks };
}

/** Removes rounding errors, e.g. of multiples of 0.1. */
function cleaned(value: number): number {
  return Number(value.toPrecision(12));
}

export type ChartPoint = { readonly x: number; readonly y: number };

export function linePath(points: readonly ChartPoint[]): string {
  return points
    .map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${coordinate(x)} ${coordinate(y)}`)
    .join("");
}

/** The stretches between gaps. */
export function stretchesOf(points: readonly (ChartPoint | null)[]): readonly ChartPoint[][] {
  const stretches: ChartPoint[][] = [[]];
  for (const point of points)
    if (point === null) stretches.push([]);
    else stretches.at(-1)?.push(point);
  return stretches.filter((stretch) => stretch.length > 0);
}

/** From left to right, without those that would overlap an earlier one. */
export function spaced<Place extends { readonly x: number }>(
  places: readonly Place[],
  width: number,
): readonly Place[] {
  const kept: Place[] = [];
  for (const place of places)
    if (place.x - (kept.at(-1)?.x ?? -Infinity) >= width) kept.push(place);
  return kept;
}

/** The line, closed along the base line. */
export function areaPath(points: readonly ChartPoint[], baseY: number): string {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return "";
  const base = coordinate(baseY);
  return `${linePath(points)}L${coordinate(last.x)} ${base}L${coordinate(first.x)} ${base}Z`;
}

function coordinate(value: number): number {
  return Math.round(value * 100) / 100;
}

/**
 * The index of the point nearest to `share` (0 to 1) of the width, among `count` evenly spaced
 * ones.
 */
export function nearestIndex(share: number, count: number): number {
  return Math.min(Math.max(Math.round(share * (count - 1)), 0), Math.max(count - 1, 0));
}
