import { FEWEST_SELECTED } from "#console/ui/chart/chart-scale.ts";

/** The first and the last point shown. */
export type Span = { readonly from: number; readonly to: number };

/** The later half. */
export function zoomIn({ from, to }: Span): Span {
  return { from: Math.min(Math.ceil((from + to) / 2), to - FEWEST_SELECTED + 1), to };
}

/** Moves it by half of its length, as far as there are points. */
export function moveSpan({ from, to }: Span, direction: -1 | 1, points: number): Span {
  const wanted = direction * Math.ceil((to - from) / 2);
  const by = Math.min(Math.max(wanted, -from), points - 1 - to);
  return { from: from + by, to: to + by };
}
