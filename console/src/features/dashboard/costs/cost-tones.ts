import type { CostAlert } from "#contract/costs.ts";
import type { Tone } from "#console/ui/badge.tsx";

/** docs/console.md#warnings */
export function budgetTone(percentage: number): Tone {
  if (percentage >= 90) return "bad";
  return percentage >= 75 ? "warn" : "good";
}

/** docs/console.md#warnings */
export function thresholdTone(percentage: number): Tone {
  if (percentage >= 100) return "bad";
  return percentage >= 80 ? "warn" : "good";
}

/** docs/console.md#warnings */
export const ALERT_TONES: Readonly<Record<CostAlert["type"], Tone>> = {
  budget_exceeded: "bad",
  critical: "alert",
  warning: "warn",
  other: "info",
};

export const ALERT_LABELS: Readonly<Record<CostAlert["type"], string>> = {
  budget_exceeded: "Budget exceeded",
  critical: "Critical",
  warning: "Warning",
  other: "Other",
};
