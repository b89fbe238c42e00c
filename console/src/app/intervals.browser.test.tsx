import { focusManager } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { validate } from "#contract/auth.ts";
import type { AnyCall } from "#contract/call.ts";
import { browserNotifications } from "#contract/browser-notifications.ts";
import { listChannels, readChannelDefaults } from "#contract/channels.ts";
import { budgets, checkAlerts, costAlerts, costBreakdown, thresholds } from "#contract/costs.ts";
import { dashboardStats, dashboardView } from "#contract/dashboard.ts";
import { browseFiles, fileStats } from "#contract/files.ts";
import { systemHistory } from "#contract/system-history.ts";
import { systemLogs, systemMetrics } from "#contract/system.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { listFailedUploads, listUploads, uploadWork } from "#contract/uploads.ts";
import { listUsers } from "#contract/users.ts";
import { answerChannels } from "#console/testing/answer-channels.ts";
import { CHANNELS } from "#console/testing/sample-channels.ts";
import { answerDashboard } from "#console/testing/answer-dashboard.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { buildAdmin, signIn } from "#console/testing/sign-in.ts";
import { until } from "#console/testing/until.ts";

/** Listed, and without VODs that wait: others are asked for more often. */
const RESTING = CHANNELS.map((one) => ({
  ...one,
  checkedAt: one.addedAt,
  vods: { ...one.vods, waiting: 0 },
}));

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  // Only polls and the age of answers depend on the clock.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  // Nothing is asked for when idle, which depends on real time.
  Object.defineProperty(navigator, "connection", { value: { saveData: true }, configurable: true });
  service = scriptService();
  answerDashboard(service);
  // Without it, each part of the dashboard asks for itself from the start.
  service.answer(dashboardView, () => new Response(null, { status: 404 }));
  answerChannels(service, RESTING);
  service.answer(listUsers, () => buildPage([]));
  signIn();
});
afterEach(() => {
  focusManager.setFocused(undefined);
  Reflect.deleteProperty(navigator, "connection");
  vi.useRealTimers();
});

type Expected = readonly (readonly [call: AnyCall, intervalSec: number, queries?: number])[];

/** The intervals of docs/console.md#intervals. */
const SCREENS: readonly (readonly [address: string, Expected])[] = [
  [
    "/",
    [
      [systemMetrics, 10],
      // Recent and running ones.
      [listUploads, 15, 2],
      [uploadWork, 15],
      [dashboardStats, 30],
      [listChannels, 30],
      [costAlerts, 30],
      [listFailedUploads, 30],
      [browserNotifications, 30],
      [costBreakdown, 60],
      [budgets, 300],
      [thresholds, 300],
      [checkAlerts, 300],
    ],
  ],
  ["/uploads", [[listUploads, 2]]],
  ["/uploads?live=paused", [[listUploads, Infinity]]],
  ["/uploads/failed", [[listFailedUploads, 30]]],
  [
    "/files",
    [
      [browseFiles, 30],
      [fileStats, 60],
    ],
  ],
  ["/users", [[listUsers, 30]]],
  [
    "/channels",
    [
      [listChannels, 30],
      [readChannelDefaults, 30],
    ],
  ],
  [
    "/system",
    [
      [systemMetrics, 5],
      [systemLogs, 10],
    ],
  ],
  ["/system?view=storage", [[fileStats, 60]]],
  ["/system?view=history", [[systemHistory, 60]]],
];

/** How often a call was made, optionally without the first calls of any kind. */
function calledSince({ method, path }: AnyCall, from = 0): number {
  return service.calls.slice(from).filter((call) => call.split("?")[0] === `${method} ${path}`)
    .length;
}

test.each(SCREENS)("%s polls at its documented intervals", async (address, expected) => {
  const queryClient = mountConsole(address);
  const isSettled = () => until(() => queryClient.isFetching() === 0);
  // Alerts are checked for the first time after five minutes.
  const asked = expected.map(([call]) => call).filter((call) => call !== checkAlerts);
  await until(() => asked.every((call) => calledSince(call) > 0));
  // What was asked ahead is polled once the screen is there. The first steps are asked for once.
  const unwatched = () =>
    queryClient
      .getQueryCache()
      .findAll({ predicate: ({ queryKey }) => queryKey[1] !== "setup" })
      .filter((query) => query.state.data !== undefined && query.getObserversCount() === 0);
  await until(() => unwatched().length === 0);
  // A part that comes later may ask once more.
  await until(() => document.querySelector("[data-skeleton]") === null);
  await isSettled();
  const before = service.calls.length;
  const longestSec = Math.max(...expected.map(([, sec]) => (sec === Infinity ? 0 : sec)), 60);
  for (let second = 1; second <= longestSec; second += 1) {
    vi.advanceTimersByTime(1_000);
    await isSettled();
    if (second === longestSec) break;
    for (const [call, sec, queries = 1] of expected)
      expect(
        calledSince(call, before),
        `${call.path} after ${second} s of ${service.calls.slice(before).join(", ")}`,
      ).toBe(queries * Math.floor(second / sec));
  }
  const silent = expected.filter(
    ([call, sec]) => sec !== Infinity && calledSince(call, before) === 0,
  );
  expect(silent).toEqual([]);
});

test("a hidden tab does not poll, and refetches when it becomes visible", async () => {
  const queryClient = mountConsole("/users");
  await expect.poll(() => calledSince(listUsers)).toBeGreaterThan(0);
  await expect.poll(() => queryClient.isFetching()).toBe(0);
  const before = calledSince(listUsers);
  focusManager.setFocused(false);
  vi.advanceTimersByTime(3_600_000);
  expect(calledSince(listUsers)).toBe(before);
  focusManager.setFocused(true);
  await expect.poll(() => calledSince(listUsers)).toBe(before + 1);
});

test("rights that are granted meanwhile open the console", async () => {
  signIn([]);
  mountConsole("/users");
  await expect.element(page.getByRole("heading", { name: "Access Denied" })).toBeVisible();
  service.answer(validate, () => ({ valid: true, admin: buildAdmin(["read:users"]) }));
  vi.advanceTimersByTime(30_000);
  await expect.element(page.getByRole("heading", { name: "Users" })).toBeVisible();
});
