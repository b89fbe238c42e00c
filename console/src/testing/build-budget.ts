import type { Budget } from "#contract/costs.ts";

/** The monthly budget, of which nothing is spent, with the given overrides. */
export function buildBudget(overrides: Partial<Budget> = {}): Budget {
  return {
    period: "monthly",
    budget: 50,
    spent: 0,
    remaining: 50,
    percentage: 0,
    trend: "unknown",
    onTrack: true,
    projectedSpend: null,
    daysRemaining: 7,
    ...overrides,
  };
}
