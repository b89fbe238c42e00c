import { readChoice, type RawSearch } from "#console/lib/search-params.ts";

export const COST_TABS = ["overview", "alerts", "thresholds", "trends"] as const;
export type CostTab = (typeof COST_TABS)[number];

/** Search parameters of the dashboard. */
export type DashboardSearch = {
  /** The cost panel's tab, or "closed"; absent means the overview. */
  readonly cost?: CostTab | "closed" | undefined;
};

export function readDashboardSearch(search: RawSearch): DashboardSearch {
  return { cost: readChoice(search["cost"], [...COST_TABS, "closed"]) };
}
