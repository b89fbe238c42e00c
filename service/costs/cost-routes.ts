import * as calls from "#contract/costs.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { actorOf, route, type Route } from "#service/http/route.ts";
import { checkThresholds } from "./alert-check.ts";
import { acknowledge, findAlert, readAlerts } from "./alert-store.ts";
import { isUnbilled } from "#service/deployment.ts";
import { changeBudget, describeBudget, readBudget } from "./budget-store.ts";
import { groupByProduct } from "./cost-analysis.ts";
import { mapLines, roundUsd, totalCost } from "./cost-lines.ts";
import { readMonthCost } from "./month-cost.ts";
import { PRICES_AS_OF } from "./price-table.ts";
import { usageLines } from "./price-usage.ts";
import { PROJECTION_FORMULA } from "./projection.ts";
import { changeThreshold, describeThreshold, readThresholds } from "./threshold-store.ts";

export function costRoutes(context: ServiceContext): Route[] {
  const { database, clock } = context.platform;

  async function describeBudgets() {
    const [budget, month] = await Promise.all([readBudget(context), readMonthCost(context)]);
    return { budgets: [describeBudget(budget, month)], pauseWhenSpent: budget.pauseWhenSpent };
  }

  async function describeThresholds() {
    const [budget, month] = await Promise.all([readBudget(context), readMonthCost(context)]);
    const stored = await readThresholds(database, budget.monthlyUsd);
    return stored.map((threshold) => describeThreshold(threshold, month.totalUsd));
  }

  return [
    route(calls.costBreakdown, async () => {
      const month = await readMonthCost(context);
      return {
        ...mapLines((line) => roundUsd(month.lines[line])),
        total: month.totalUsd,
        lastUpdated: new Date(month.updatedAt).toISOString(),
        periodStart: month.period.firstDay,
        periodEnd: month.period.lastDay,
        pricesAsOf: PRICES_AS_OF,
        isHypothetical: isUnbilled(context),
        usage: usageLines(month.usage, month.period),
      };
    }),

    route(calls.costTrend, async ({ query }) => {
      const month = await readMonthCost(context, query.days);
      return {
        days: month.days.slice(-query.days).map(({ date, lines }) => ({
          date,
          total: totalCost(lines),
          ...groupByProduct(lines),
        })),
        projectedMonthUsd: month.projection.monthUsd,
        formula: PROJECTION_FORMULA,
      };
    }),

    route(calls.budgets, describeBudgets),

    route(calls.setBudget, async ({ body, context: request }) => {
      const change = { monthlyUsd: body.monthlyUsd, pauseWhenSpent: body.pauseWhenSpent };
      await database.batch([
        changeBudget(change),
        auditEntry({
          ...actorOf(request),
          atMs: clock.now(),
          action: "cost.budget",
          before: await readBudget(context),
          after: change,
        }),
      ]);
      return await describeBudgets();
    }),

    route(calls.costAlerts, ({ query }) => readAlerts(database, query.limit)),

    route(calls.thresholds, describeThresholds),

    route(calls.setThreshold, async ({ params, body, context: request }) => {
      const change = { threshold: body.threshold, alertsEnabled: body.alertsEnabled };
      const before = (await describeThresholds()).find(({ id }) => id === params.id);
      if (before === undefined) throw new ApiError("not_found", "This threshold does not exist.");
      await database.batch([
        changeThreshold(params.id, change),
        auditEntry({
          ...actorOf(request),
          atMs: clock.now(),
          action: "cost.threshold",
          target: params.id,
          before: { threshold: before.threshold, alertsEnabled: before.alertsEnabled },
          after: change,
        }),
      ]);
      const after = (await describeThresholds()).find(({ id }) => id === params.id);
      if (after === undefined) throw new ApiError("not_found", "This threshold does not exist.");
      return after;
    }),

    route(calls.checkAlerts, async ({ context: request }) => {
      const alertCount = await checkThresholds(context, actorOf(request));
      return { hasNewAlerts: alertCount > 0, alertCount };
    }),

    route(calls.acknowledgeAlert, async ({ params, context: request }) => {
      const actor = actorOf(request);
      const nowMs = clock.now();
      await database.batch(
        recordedChange(acknowledge(params.id, actor.actorId, nowMs), nowMs, {
          audit: { ...actor, action: "cost.acknowledge", target: params.id },
        }),
      );
      const alert = await findAlert(database, params.id);
      if (alert === null) throw new ApiError("not_found", "This alert does not exist.");
      return alert;
    }),
  ];
}
