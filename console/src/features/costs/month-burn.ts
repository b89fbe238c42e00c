const DAY_MS = 86_400_000;

export type Burn = {
  /** How many days the month has. */
  readonly dayCount: number;
  /** What was spent by the end of each day up to today, from the first on. */
  readonly spentUsd: readonly number[];
};

/** The month's spending, added up day by day; a day without a row cost nothing. */
export function monthBurn(
  days: readonly { readonly date: string; readonly total: number }[],
  periodStart: string,
  periodEnd: string,
): Burn {
  const startMs = Date.parse(periodStart);
  const dayCount = Math.max(1, Math.round((Date.parse(periodEnd) - startMs) / DAY_MS) + 1);
  const costByDay = new Map(days.map(({ date, total }) => [date, total]));
  const lastDate = days.reduce((last, { date }) => (date > last ? date : last), periodStart);
  const spentUsd: number[] = [];
  for (let day = 0; day < dayCount; day += 1) {
    const date = new Date(startMs + day * DAY_MS).toISOString().slice(0, 10);
    if (date > lastDate) break;
    spentUsd.push((spentUsd.at(-1) ?? 0) + (costByDay.get(date) ?? 0));
  }
  return { dayCount, spentUsd };
}
