import { beforeEach, expect, onTestFinished, test } from "vitest";
import { page } from "vitest/browser";
import type { DataOf } from "#contract/call.ts";
import {
  type CostAlert,
  budgets,
  checkAlerts,
  costAlerts,
  costBreakdown,
  setBudget,
  thresholds,
} from "#contract/costs.ts";
import type { Parts } from "#contract/testing/build.ts";
import { colourName } from "#contract/testing/colour-name.ts";
import { answerDashboard, BUDGET, PERIOD } from "#console/testing/answer-dashboard.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toast } from "#console/ui/toast-store.ts";

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  answerDashboard(service);
  signIn();
});

function answerBudget({ percentage = 50, onTrack = true }): void {
  service.answer(budgets, () => ({
    budgets: [{ ...BUDGET, percentage, onTrack }],
  }));
}

function buildAlert(id: string, type: CostAlert["type"], acknowledged: boolean) {
  const message = "Spending has reached the limit.";
  return { id, type, message, triggeredAt: new Date().toISOString(), acknowledged };
}

function colourOf(element: Element | null | undefined, property: "color" | "backgroundColor") {
  return element && colourName(getComputedStyle(element)[property]);
}

test("costs of a cloud that is not used are named an estimate", async () => {
  service.answer(costBreakdown, () => ({ ...PERIOD, isHypothetical: true }));
  mountConsole("/");
  await expect.element(page.getByText("Estimate: if it ran on Cloudflare")).toBeVisible();
  await page.getByRole("button", { name: "Costs", exact: true }).click();
  await expect.element(page.getByText("Remaining monthly budget")).toBeVisible();
  await expect.element(page.getByText("What drives the cost")).not.toBeInTheDocument();
  await expect.element(page.getByText("Estimate: if it ran on Cloudflare")).toBeVisible();
});

test.each([
  [74.9, "green", "On Track"],
  [75, "yellow", "On Track"],
  [89.9, "yellow", "Over Budget"],
  [90, "red", "Over Budget"],
])(
  "with %d percent of the budget spent, its bar is %s, beside %s",
  async (percentage, colour, trend) => {
    answerBudget({ percentage, onTrack: trend === "On Track" });
    mountConsole("/");
    const bar = page.getByRole("meter", { name: "Monthly budget" });
    await expect
      .element(bar)
      .toHaveAttribute("aria-valuetext", `${percentage}% of the monthly budget spent`);
    expect(colourOf(bar.element().firstElementChild, "backgroundColor")).toBe(colour);
    await expect.element(page.getByText(trend, { exact: true })).toBeVisible();
  },
);

test("a threshold's bar is green below 80 percent, yellow from 80 and red from 100", async () => {
  answerBudget({});
  const percentages = [79.9, 80, 99.9, 100];
  service.answer(thresholds, () =>
    percentages.map((percentage, index) => ({
      id: `limit${index}`,
      name: `Limit ${index}`,
      type: "warning",
      threshold: 100,
      currentSpend: percentage,
      percentage,
    })),
  );
  mountConsole("/?cost=thresholds");
  const bars = page.getByRole("meter", { name: /spent of the limit$/ });
  await expect
    .poll(() => bars.elements().map((bar) => colourOf(bar.firstElementChild, "backgroundColor")))
    .toEqual(["green", "yellow", "yellow", "red"]);
});

test("alerts are red, orange and yellow by severity", async () => {
  service.answer(costAlerts, () => ({
    unacknowledged: 0,
    alerts: (["budget_exceeded", "critical", "warning"] as const).map((type) =>
      buildAlert(type, type, true),
    ),
  }));
  mountConsole("/?cost=alerts");
  for (const [text, colour] of [
    ["Budget exceeded", "red"],
    ["Critical", "orange"],
    ["Warning", "yellow"],
  ] as const) {
    const badge = page.getByText(text, { exact: true });
    await expect.element(badge).toBeVisible();
    expect(colourOf(badge.element(), "color")).toBe(colour);
  }
});

test("the check button reports new alerts as an error message", async () => {
  toast.pause();
  onTestFinished(() => toast.resume());
  service.answer(checkAlerts, () => ({ hasNewAlerts: true, alertCount: 3 }));
  mountConsole("/?cost=alerts");
  await page.getByRole("button", { name: "Check for new alerts" }).click();
  const message = page.getByRole("region", { name: "Messages" }).getByRole("listitem");
  await expect.element(message).toHaveTextContent("3 new cost alerts triggered!");
  expect(colourOf(message.element().querySelector("svg"), "color")).toBe("red");
});

const asks = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));

test("the browser asks before it leaves a typed amount behind", async () => {
  mountConsole("/?cost=thresholds");
  const field = page.getByRole("textbox", { name: "Monthly budget (USD)" });
  await expect.element(field).toBeVisible();
  expect(asks()).toBe(false);
  await field.fill("123");
  await expect.poll(asks).toBe(true);
});

test("an amount that is typed while the last one is being saved stays", async () => {
  const saving = Promise.withResolvers<Parts<DataOf<typeof setBudget>>>();
  service.answer(setBudget, () => saving.promise);
  mountConsole("/?cost=thresholds");
  const field = page.getByRole("textbox", { name: "Monthly budget (USD)" });
  const saveButton = page.getByRole("button", { name: "Save" });
  await field.fill("123");
  await saveButton.click();
  await expect.element(saveButton).toHaveAttribute("aria-busy", "true");
  await field.fill("456");
  saving.resolve({ budgets: [{ ...BUDGET, budget: 123 }] });
  await expect.element(saveButton).not.toHaveAttribute("aria-busy");
  await expect.element(field).toHaveValue("456");
});
