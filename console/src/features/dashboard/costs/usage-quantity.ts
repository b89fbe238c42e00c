const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** "12.4M": large amounts are abbreviated. */
export function formatQuantity(amount: number): string {
  if (amount > 0 && amount < 0.05) return "<0.1";
  return compact.format(amount);
}
