import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { historyRangeSchema, systemHistory } from "#contract/system-history.ts";
import { buildHistory } from "#console/testing/build-history.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

const START = "2026-11-23T12:00:00.000Z";
const MINUTE_MS = 60_000;

const figure = page.getByRole("figure", { name: "System history" });
const marks = page.getByRole("region", { name: "Restarts, deployments and alerts" });
const button = (name: string) => page.getByRole("button", { name, exact: true });

const heightPx = () =>
  page.getByRole("heading", { name: "History" }).element().closest("section")?.offsetHeight;

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  service.answer(systemHistory, (request) => {
    const range = historyRangeSchema.parse(new URL(request.url).searchParams.get("range"));
    return buildHistory(range, (index) => (index === 30 ? null : index), [
      { at: timeOf(10), kind: "start", detail: "1.2.3" },
      { at: timeOf(50), kind: "alert", detail: "Unhealthy: database" },
    ]);
  });
  signIn();
});

function timeOf(minutes: number): string {
  return new Date(Date.parse(START) + minutes * MINUTE_MS).toISOString();
}

test("five lanes show an hour with its gap, and events are listed", async () => {
  mountConsole("/system?view=history&history=hour");
  for (const name of [
    "Active uploads, from 0 to 59",
    "Bytes copied per second, from 0 Bytes/s to 59 KB/s",
    "Storage, from 0 Bytes to 59 Bytes",
    "Failed uploads, from 0 to 59",
    "Longest wait in the queue, from 0s to 59s",
  ])
    await expect.element(figure.getByRole("img", { name, exact: true })).toBeVisible();
  const lane = figure.getByRole("img", { name: /^Storage/ });
  const { width } = lane.element().getBoundingClientRect();
  // The lines are as wide as the lane without its axis.
  await lane.hover({ position: { x: 58 + (width - 82) * (30 / 59), y: 30 } });
  await expect.element(figure.getByText(/^Nov 23, 12:30.PM$/)).toBeVisible();
  await expect.element(figure.getByText(/^Storage —$/).last()).toBeVisible();
  const items = marks.getByRole("listitem");
  await expect.element(items.first().getByText(/Alert: Unhealthy: database/)).toBeVisible();
  await expect.element(items.last().getByText(/Started, version 1\.2\.3/)).toBeVisible();
  await button("Show table").last().click();
  await expect
    .element(page.getByRole("row", { name: /12:29.PM 29 29 KB\/s 29 Bytes 29 29s/ }))
    .toBeInTheDocument();
  await expect.element(page.getByRole("row", { name: /12:30.PM — — — — —/ })).toBeInTheDocument();
});

test("buttons zoom in, move and reset, and only events within the range are listed", async () => {
  mountConsole("/system?view=history&history=hour");
  await expect.element(button("Reset zoom")).toBeDisabled();
  await button("Zoom in").click();
  await expect.element(figure.getByText(/12:30.PM to Nov 23, 12:59.PM/)).toBeVisible();
  await expect.element(marks.getByText(/1\.2\.3/)).not.toBeInTheDocument();
  await expect.element(button("Later")).toBeDisabled();
  await button("Earlier").click();
  await button("Earlier").click();
  await expect.element(figure.getByText(/12:00.PM to Nov 23, 12:29.PM/)).toBeVisible();
  await expect.element(button("Earlier")).toBeDisabled();
  await expect.element(marks.getByText(/Database/)).not.toBeInTheDocument();
  await button("Reset zoom").click();
  await expect.element(figure.getByText(/12:00.PM to Nov 23, 12:59.PM/)).toBeVisible();
  await expect.element(button("Reset zoom")).toHaveFocus();
});

test("dragging along a lane zooms to what was passed", async () => {
  mountConsole("/system?view=history&history=hour");
  const lane = figure.getByRole("img", { name: /^Failed uploads, / });
  await expect.element(lane).toBeVisible();
  const { width } = lane.element().getBoundingClientRect();
  await userEvent.dragAndDrop(lane, lane, {
    sourcePosition: { x: width * 0.5, y: 30 },
    targetPosition: { x: width * 0.8, y: 30 },
  });
  await expect.element(figure.getByText(/12:2\d.PM to Nov 23, 12:4\d.PM/)).toBeVisible();
  await expect.element(marks.getByText(/1\.2\.3/)).not.toBeInTheDocument();
});

test("changing the range requests it and resets the zoom", async () => {
  mountConsole("/system?view=history");
  await button("Zoom in").click();
  await page.getByRole("combobox", { name: "Range" }).selectOptions("Last week");
  await expect.element(figure.getByText(/Nov 23, 12:00.PM to Nov 30, 11:00.AM/)).toBeVisible();
  expect(service.calls.filter((call) => call.includes("/system/history"))).toEqual([
    "GET /admin/system/history?range=day",
    "GET /admin/system/history?range=week",
  ]);
});

test("shows axes and a message without samples, at the same height", async () => {
  let sampled = false;
  service.answer(systemHistory, () => buildHistory("day", () => (sampled ? 1 : null)));
  mountConsole("/system?view=history");
  await expect.element(page.getByText(/^Collecting the first samples/)).toBeVisible();
  await expect.element(figure.getByRole("img", { name: /^Storage/ })).toBeVisible();
  const before = heightPx();
  sampled = true;
  await page.getByRole("combobox", { name: "Range" }).selectOptions("Last hour");
  await expect.element(figure).toBeVisible();
  await expect.element(marks.getByText(/^No restarts, deployments or alerts/)).toBeVisible();
  expect(heightPx()).toBe(before);
});
