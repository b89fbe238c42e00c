import * as z from "zod/mini";
import { searchReader } from "#console/lib/search-params.ts";

const COST_TABS = ["overview", "alerts", "thresholds", "trends"] as const;
export type CostTab = (typeof COST_TABS)[number];

/** `cost` is the tab of the cost panel, which is closed if it is absent. */
export const readCostSearch = searchReader({ cost: z.enum(COST_TABS) });
