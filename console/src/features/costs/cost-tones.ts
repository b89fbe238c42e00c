import type { CostAlert } from "#contract/costs.ts";
import type { Tone } from "#console/ui/badge.tsx";

/** Specification section 4: red at 90 % or more, yellow at 75 % or more, else green. */
export function budgetTone(percentage: number): Tone {
  if (percentage >= 90) return "bad";
  return percentage >= 75 ? "warn" : "good";
}

/** Specification section 4: red at 100 % or more, yellow at 80 % or more, else green. */
export function thresholdTone(percentage: number): Tone {
  if (percentage >= 100) return "bad";
  return percentage >= 80 ? "warn" : "good";
}

/** Specification section 4: budget exceeded red, critical orange, warning yellow. */
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
