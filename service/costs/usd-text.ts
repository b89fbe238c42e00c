const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
});

/** Two to four decimals, as everywhere in the console (docs/console.md#formats). */
export function formatUsd(usd: number): string {
  return dollars.format(usd);
}
