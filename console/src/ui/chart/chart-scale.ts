/** Axis arithmetic of charts, without rendering. */
export type Axis = {
  /** The value at the top. */
  readonly top: number;
  /** From 0 to the top, in equal steps. */
  readonly ticks: readonly number[];
};

/** Fewer points are a click, or too few to draw. */
export const FEWEST_SELECTED = 3;

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

/** From left to right, without those that would overlap an earlier one. */
export function spaced<Place extends { readonly atPx: number }>(
  places: readonly Place[],
  width: number,
): readonly Place[] {
  const kept: Place[] = [];
  for (const place of places)
    if (place.atPx - (kept.at(-1)?.atPx ?? -Infinity) >= width) kept.push(place);
  return kept;
}

const TICKS = [
  [86_400, { month: "short", day: "numeric" }],
  [60, { hour: "numeric", minute: "2-digit" }],
  [0, { hour: "numeric", minute: "2-digit", second: "2-digit" }],
] as const satisfies readonly (readonly [number, Intl.DateTimeFormatOptions])[];

/** A tick of a time axis, as precise as the distance to the next one. */
export function formatTick(atSec: number, stepSec: number): string {
  const [, options] = TICKS.find(([fromSec]) => stepSec >= fromSec) ?? TICKS[2];
  return new Date(atSec * 1_000).toLocaleString(undefined, options);
}
