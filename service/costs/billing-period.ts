export const DAY_MS = 86_400_000;

/** A calendar month in UTC, the period that budgets, thresholds and allowances run over. */
export type BillingPeriod = {
  /** e.g. `2026-11` */
  readonly name: string;
  readonly startAt: number;
  /** The first instant of the next month. */
  readonly endAt: number;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly dayCount: number;
};

export function periodAt(ms: number): BillingPeriod {
  const date = new Date(ms);
  const startAt = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  const endAt = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  const firstDay = dayOf(startAt);
  return {
    name: firstDay.slice(0, 7),
    startAt,
    endAt,
    firstDay,
    lastDay: dayOf(endAt - DAY_MS),
    dayCount: (endAt - startAt) / DAY_MS,
  };
}

/** The UTC day of an instant, e.g. `2026-11-20`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function startOfDay(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`);
}

/** Days from `first` to `last` inclusive; 0 when `last` is before `first`. */
export function dayCount(first: string, last: string): number {
  return Math.max(0, (startOfDay(last) - startOfDay(first)) / DAY_MS + 1);
}

/** The `count` days ending with `last`, oldest first. */
export function daysUpTo(last: string, count: number): string[] {
  const end = startOfDay(last);
  return Array.from({ length: count }, (_, index) => dayOf(end - (count - 1 - index) * DAY_MS));
}
