const DAY_MS = 86_400_000;

export type Burn = {
  /** Days in the month. */
  readonly dayCount: number;
  /** Total spent by the end of each day, from the first to today. */
  readonly spentUsd: readonly number[];
};

/** Cumulative spending of the month; a day without a row cost nothing. */
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
