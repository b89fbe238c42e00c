import * as calls from "#contract/dashboard.ts";
import type { ServiceContext } from "#service/context.ts";
import { principalOf, route, type Route } from "#service/http/route.ts";
import { readDashboardHistory } from "./dashboard-history.ts";
import { readDashboardStats } from "./dashboard-stats.ts";

export function dashboardRoutes(context: ServiceContext): Route[] {
  return [
    route(calls.dashboardStats, ({ context: request, query }) =>
      readDashboardStats(context, principalOf(request).permissions, query.dayStart),
    ),
    route(calls.dashboardHistory, ({ context: request }) =>
      readDashboardHistory(context.platform, principalOf(request).permissions),
    ),
  ];
}
