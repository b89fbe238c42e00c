/** The service's maximum for a budget or limit. */
const MAX_USD = 1_000_000;

/**
 * Parses a typed amount, or returns why it is invalid. A dollar sign and thousands separators are
 * allowed.
 */
export function readUsd(text: string): {
  readonly amountUsd?: number;
  readonly fault?: string;
} {
  const plain = text
    .trim()
    .replace(/^\$\s*/, "")
    .replaceAll(",", "");
  if (!/^\d{1,9}(?:\.\d{1,4})?$/.test(plain)) {
    return { fault: "Enter an amount in USD, such as 25 or 7.50" };
  }
  const amountUsd = Number(plain);
  if (amountUsd <= 0) return { fault: "The amount must be above 0" };
  if (amountUsd > MAX_USD) return { fault: "The amount must be at most 1,000,000" };
  return { amountUsd };
}
