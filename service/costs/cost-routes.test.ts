import { afterEach, beforeEach, expect, test } from "vitest";
import * as costs from "#contract/costs.ts";
import { systemMetrics } from "#contract/system.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { countRows } from "#service/testing/count-rows.ts";
import {
  ADMIN,
  STREAMER,
  startTestService,
  type TestService,
} from "#service/testing/test-service.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { assertBudgetAllows } from "./budget-gate.ts";
import { DAY_MS, dayOf, periodAt } from "./billing-period.ts";
import { addMeteredUsage } from "./usage-ledger.ts";
import { NO_USAGE, type Usage } from "./usage.ts";
import { changeBudget } from "./budget-store.ts";

let service: TestService;
let admin: TestClient;

beforeEach(async () => {
  service = await startTestService({ settings: { MONTHLY_BUDGET_USD: "100" } });
  // A fixed day, far in the machine's future.
  service.clock.advance(Date.parse("2036-03-16T12:00:00Z") - service.clock.now());
  admin = await service.signIn(ADMIN);
});

afterEach(() => service.close());

async function use(day: string, usage: Partial<Usage>): Promise<void> {
  const { database } = service.platform;
  await database.run(addMeteredUsage(day, { ...NO_USAGE, ...usage }, service.clock.now()));
}

/** Moves to the given instant and signs in again, because the session has expired by then. */
async function goTo(instant: string): Promise<void> {
  service.clock.advance(Date.parse(instant) - service.clock.now());
  admin = await service.signIn(ADMIN);
}

function rowsOf(from: Statement): Promise<number> {
  return countRows(service.platform.database, from);
}

function thresholdPath(id: string | undefined): string {
  return `/admin/cost-alerts/thresholds/${id}`;
}

const spendsNinety = { kvWrites: 19e6 };

test("the breakdown prices only the usage of this month", async () => {
  await use("2036-02-29", { kvWrites: 900e6 });
  await use("2036-03-01", { classAOperations: 600_000 });
  await use("2036-03-16", { classAOperations: 600_000, rowsWritten: 51e6, egressBytes: 5e12 });
  const breakdown = await admin.expect(costs.costBreakdown);
  expect(breakdown).toMatchObject({
    r2Operations: 4.5,
    d1Operations: 1,
    r2Transfer: 0,
    kvOperations: 0,
    workers: expect.closeTo((5 * 16) / 31, 5),
    periodStart: "2036-03-01",
    periodEnd: "2036-03-31",
  });
  expect(breakdown.total).toBeCloseTo(4.5 + 1 + (5 * 16) / 31, 5);
  const due = breakdown.usage.reduce((sum, { costUsd }) => sum + costUsd, 0);
  expect(due + (5 * 16) / 31).toBeCloseTo(breakdown.total, 5);
  expect(breakdown.usage.find(({ name }) => name === "Class A operations")).toEqual({
    product: "R2",
    name: "Class A operations",
    unit: "operations",
    used: 1_200_000,
    included: 1_000_000,
    costUsd: 4.5,
  });
});

test("the trend's days add up to the breakdown and reach into the previous month", async () => {
  for (let day = Date.parse("2036-02-20"); day <= Date.parse("2036-03-16"); day += DAY_MS) {
    await use(dayOf(day), { kvWrites: 1e6, storedBytesPeak: 900e9 });
  }
  const trend = await admin.expect(costs.costTrend, `${costs.costTrend.path}?days=20`);
  expect(trend.days).toHaveLength(20);
  expect(trend.days[0]?.date).toBe("2036-02-26");
  const march = trend.days.filter(({ date }) => date >= "2036-03-01");
  const { total } = await admin.expect(costs.costBreakdown);
  expect(march.reduce((sum, day) => sum + day.total, 0)).toBeCloseTo(total, 4);
  expect(trend.projectedMonthUsd).toBeGreaterThan(total);
  expect(trend.formula).toContain("whole days");
});

test("where nothing is billed, costs are hypothetical, and a budget nobody chose raises no alert", async () => {
  const local = await startTestService();
  const owner = await local.signIn(ADMIN);
  const today = new Date(local.clock.now()).toISOString().slice(0, 10);
  await local.platform.database.run(
    addMeteredUsage(today, { ...NO_USAGE, kvWrites: 1e9 }, local.clock.now()),
  );
  const isUnbilled = local.platform.runtime.host === "node";
  expect(await owner.expect(costs.costBreakdown)).toMatchObject({ isHypothetical: isUnbilled });
  const alertCount = async () => (await owner.expect(costs.checkAlerts)).alertCount;
  expect((await alertCount()) === 0).toBe(isUnbilled);
  await local.platform.database.run(changeBudget({ monthlyUsd: 40, pauseWhenSpent: undefined }));
  expect((await alertCount()) > 0).toBe(isUnbilled);
  await local.close();
});

test("nothing is projected before there are three whole days of data", async () => {
  await use("2036-03-15", { kvWrites: 1e6 });
  await use("2036-03-16", { kvWrites: 1e6 });
  const trend = await admin.expect(costs.costTrend);
  expect(trend.projectedMonthUsd).toBeNull();
  const { budgets } = await admin.expect(costs.budgets);
  expect(budgets[0]).toMatchObject({
    period: "monthly",
    budget: 100,
    trend: "unknown",
    projectedSpend: null,
  });
  const { costAnalysis } = await admin.expect(systemMetrics);
  expect(costAnalysis.projectedMonthlyCost).toBeNull();
  expect(costAnalysis.unitEconomics).toMatchObject({ costPerVod: null, costPerGB: null });
});

test("a hundred concurrent checks raise each alert once, with one notification and audit row", async () => {
  await use("2036-03-16", spendsNinety);
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => admin.expect(costs.checkAlerts)),
  );
  const raised = answers.reduce((sum, { alertCount }) => sum + alertCount, 0);
  expect(raised).toBe(3);
  expect(await rowsOf(sql`cost_alerts`)).toBe(3);
  expect(await rowsOf(sql`notification_events`)).toBe(3);
  expect(await rowsOf(sql`audit WHERE action = 'cost.alert'`)).toBe(3);
  const { alerts, unacknowledged } = await admin.expect(costs.costAlerts);
  expect(alerts.map(({ type }) => type)).toEqual(["critical", "warning", "warning"]);
  expect(unacknowledged).toBe(3);
  expect(alerts[0]?.message).toContain("$90.00");
});

test("a cost equal to a threshold or the budget reaches it, and the alert is raised once", async () => {
  const context = { platform: service.platform, settings: service.settings };
  await use("2036-03-16", spendsNinety);
  const { total } = await admin.expect(costs.costBreakdown);
  const body = { monthlyUsd: total, pauseWhenSpent: true };
  await admin.expect(costs.setBudget, undefined, { body });
  await expect(assertBudgetAllows(context)).rejects.toMatchObject({ code: "conflict" });
  expect((await admin.expect(costs.checkAlerts)).alertCount).toBe(4);
  const noted = (await admin.expect(costs.thresholds)).map(({ lastTriggered }) => lastTriggered);
  service.clock.advance(60_000);
  expect((await admin.expect(costs.checkAlerts)).alertCount).toBe(0);
  const later = (await admin.expect(costs.thresholds)).map(({ lastTriggered }) => lastTriggered);
  expect(later).toEqual(noted);
});

async function alertsAt(monthlyUsd: number): Promise<number> {
  await admin.expect(costs.setBudget, undefined, { body: { monthlyUsd, pauseWhenSpent: false } });
  return (await admin.expect(costs.checkAlerts)).alertCount;
}

test("a raised budget is watched again in the same month, a lowered one only where it was not reached", async () => {
  await use("2036-03-16", spendsNinety);
  // $95.00 are spent: all four limits, none, three, none, and the whole budget.
  expect(await alertsAt(50)).toBe(4);
  expect(await alertsAt(1_000)).toBe(0);
  expect(await alertsAt(100)).toBe(3);
  expect(await alertsAt(50)).toBe(0);
  expect(await alertsAt(90)).toBe(1);
});

test("the next month raises the same alerts again", async () => {
  await use("2036-03-16", spendsNinety);
  expect(await admin.expect(costs.checkAlerts)).toEqual({ hasNewAlerts: true, alertCount: 3 });
  await goTo("2036-03-31T23:59:59.000Z");
  expect((await admin.expect(costs.checkAlerts)).alertCount).toBe(0);
  await goTo("2036-04-01T00:00:00.000Z");
  expect((await admin.expect(costs.checkAlerts)).alertCount).toBe(0);
  await use("2036-04-01", spendsNinety);
  expect((await admin.expect(costs.checkAlerts)).alertCount).toBe(3);
  expect(await rowsOf(sql`cost_alerts`)).toBe(6);
});

test("only the first acknowledgement of an alert is kept, with one audit row", async () => {
  await use("2036-03-16", spendsNinety);
  await admin.expect(costs.checkAlerts);
  const [alert] = (await admin.expect(costs.costAlerts)).alerts;
  const path = `/admin/cost-alerts/alerts/${alert?.id}/acknowledge`;
  const other = await service.signInWith(STREAMER, ["read:system", "write:system"]);
  const first = await admin.expect(costs.acknowledgeAlert, path);
  service.clock.advance(1_000);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => other.expect(costs.acknowledgeAlert, path)),
  );
  for (const answer of answers) expect(answer).toEqual(first);
  expect(first.acknowledged).toBe(true);
  expect(await rowsOf(sql`audit WHERE action = 'cost.acknowledge'`)).toBe(1);
  expect((await admin.expect(costs.costAlerts)).unacknowledged).toBe(2);
});

test("budget settings can be changed one by one, move the thresholds and are audited", async () => {
  const changed = await admin.expect(costs.setBudget, undefined, { body: { monthlyUsd: 40 } });
  expect(changed).toMatchObject({ pauseWhenSpent: false, budgets: [{ budget: 40 }] });
  await admin.expect(costs.setBudget, undefined, { body: { pauseWhenSpent: true } });
  expect(await admin.expect(costs.budgets)).toMatchObject({
    pauseWhenSpent: true,
    budgets: [{ budget: 40 }],
  });
  const limits = (await admin.expect(costs.thresholds)).map(({ threshold }) => threshold);
  expect(limits).toEqual([20, 30, 36, 40]);
  expect(await rowsOf(sql`audit WHERE action = 'cost.budget'`)).toBe(2);
});

test.each([
  ["an empty change", {}],
  ["zero", { monthlyUsd: 0 }],
  ["almost nothing", { monthlyUsd: 5e-324 }],
  ["a negative budget", { monthlyUsd: -5 }],
  ["text", { monthlyUsd: "50" }],
  ["too much", { monthlyUsd: 1e9 }],
  ["an unknown field", { monthlyUsd: 50, currency: "EUR" }],
])("an invalid budget is rejected: %s", async (_name, body) => {
  const answer = await admin.call("PUT", costs.setBudget.path, { body });
  expect(answer.error?.code).toBe("invalid_request");
  expect(await rowsOf(sql`audit WHERE action = 'cost.budget'`)).toBe(0);
});

test("a disabled threshold raises no alert, and a custom limit survives a budget change", async () => {
  const [fifty, seventyFive] = await admin.expect(costs.thresholds);
  await admin.expect(costs.setThreshold, thresholdPath(fifty?.id), {
    body: { alertsEnabled: false },
  });
  await admin.expect(costs.setThreshold, thresholdPath(seventyFive?.id), {
    body: { threshold: 95.5 },
  });
  await admin.expect(costs.setBudget, undefined, { body: { monthlyUsd: 200 } });
  await use("2036-03-16", spendsNinety);
  expect((await admin.expect(costs.checkAlerts)).alertCount).toBe(0);
  const after = await admin.expect(costs.thresholds);
  expect(after.map(({ threshold }) => threshold)).toEqual([95.5, 100, 180, 200]);
  expect(after.filter(({ hasOwnAmount }) => hasOwnAmount)).toMatchObject([{ threshold: 95.5 }]);

  const back = await admin.expect(costs.setThreshold, thresholdPath(seventyFive?.id), {
    body: { threshold: null },
  });
  expect(back).toMatchObject({ threshold: 150, budgetPercent: 75, hasOwnAmount: false });
  expect(after[0]).toMatchObject({ lastTriggered: null, percentage: 94.4 });
  expect(await rowsOf(sql`audit WHERE action = 'cost.threshold'`)).toBe(3);
});

test("a spent budget pauses new archives only if administrators enabled that", async () => {
  const context = { platform: service.platform, settings: service.settings };
  await use("2036-03-16", { kvWrites: 40e6 });
  await assertBudgetAllows(context);
  await admin.expect(costs.setBudget, undefined, { body: { pauseWhenSpent: true } });
  await expect(assertBudgetAllows(context)).rejects.toMatchObject({ code: "conflict" });
  await admin.expect(costs.setBudget, undefined, { body: { monthlyUsd: 5_000 } });
  await assertBudgetAllows(context);
});

test("API requests and the rows they read are recorded in the usage ledger", async () => {
  for (let index = 0; index < 10; index += 1) await admin.expect(costs.budgets);
  await service.service.stop();
  const [row] = await service.platform.database.all(
    sql`SELECT * FROM usage_days WHERE day = ${dayOf(service.clock.now())}`,
  );
  expect(row?.worker_requests).toBeGreaterThanOrEqual(12);
  expect(row?.rows_read).toBeGreaterThan(30);
  expect(periodAt(service.clock.now()).name).toBe("2036-03");
});
