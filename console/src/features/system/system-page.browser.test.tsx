import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { backUpNow } from "#contract/backups.ts";
import { browserNotifications } from "#contract/browser-notifications.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { examineSystem } from "#contract/examination.ts";
import {
  clearCache,
  confirmClock,
  restartWorkers,
  systemLogs,
  systemMetrics,
} from "#contract/system.ts";
import { readVerification } from "#contract/verification.ts";
import { serverStatus } from "#console/lib/server-status.ts";
import { answerSystemFull, VERIFICATION } from "#console/testing/answer-system-full.ts";
import { answerUploads } from "#console/testing/answer-uploads.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";
import { until } from "#console/testing/until.ts";

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  signIn();
});

test.each([
  ["healthy", "All Systems Operational", "System Status: Online"],
  ["warning", "Performance Issues Detected", "System Status: Online"],
  ["unhealthy", "Performance Issues Detected", "System Status: Unhealthy"],
] as const)("a service that is %s reads %s and %s", async (status, headline, topBar) => {
  const text = "Degraded: disk. It is nearly full.";
  const reasons = status === "healthy" ? [] : [{ part: "disk", status: "degraded", text }];
  service.answer(systemMetrics, () => ({ health: { status, reasons } }));
  service.answer(browserNotifications, () => ({ systemStatus: status }));
  mountConsole("/system");
  await expect.element(page.getByRole("status").getByText(headline)).toBeVisible();
  await expect.element(page.getByText(topBar)).toBeVisible();
  expect(page.getByText(text).elements()).toHaveLength(reasons.length);
});

test("a clock that has jumped is confirmed only on a second word", async () => {
  const text = "Degraded: clock. It shows 2026-12-18 14:03 UTC.";
  const reasons = [{ part: "clock", status: "degraded", text }];
  let isConfirmed = false;
  service.answer(systemMetrics, () =>
    isConfirmed ? {} : { health: { status: "warning", reasons } },
  );
  service.answer(confirmClock, () => {
    isConfirmed = true;
    return { confirmedAt: "2026-12-18T14:03:00.000Z" };
  });
  mountConsole("/system");
  await page.getByRole("button", { name: "Confirm Clock" }).click();
  await expect.element(page.getByRole("dialog").getByText(/Is the time right\?/)).toBeVisible();
  expect(isConfirmed).toBe(false);
  await page.getByRole("button", { name: "The time is right" }).click();
  await expect.element(page.getByText("All Systems Operational")).toBeVisible();
  expect(isConfirmed).toBe(true);
});

test("what fails is shown with its reason and its next try, and what waits is counted", async () => {
  answerSystemFull(service);
  mountConsole("/system?view=storage");
  const list = page.getByRole("list", { name: "Waiting work" });
  await expect.element(list.getByText(/ – The object is locked .+\. \(3 tries\)$/)).toBeVisible();
  await expect.element(list.getByText("Now", { exact: true })).toBeVisible();
  await expect.element(list.getByText("Chat replay: Opening night")).toBeVisible();
  await expect.element(page.getByText("And 58 more.")).toBeVisible();
});

test("while the server is away, no part of it is shown as healthy", async () => {
  mountConsole("/system");
  await expect.element(page.getByText("All Systems Operational")).toBeVisible();
  service.answerAll(() => new Response(null, { status: 503 }));
  for (const fault of [1, 2]) serverStatus.noteFault(fault === 1 ? "Failing" : "Offline");
  await expect.element(page.getByText("Status Unknown")).toBeVisible();
  await expect.element(page.getByText("healthy", { exact: true })).not.toBeInTheDocument();
  await expect
    .element(page.getByText(/^The server cannot be reached\. It last worked/))
    .toBeVisible();
  serverStatus.noteAnswer();
  await expect.element(page.getByText(/^The server cannot be reached/)).not.toBeInTheDocument();
});

test("while metrics load, the status is unknown; the chart collects data until that failed", async () => {
  const answered = Promise.withResolvers<Response>();
  service.answer(systemMetrics, () => answered.promise);
  mountConsole("/system");
  await expect.element(page.getByText("Status Unknown")).toBeVisible();
  await expect.element(page.getByText("Collecting performance data...")).toBeVisible();
  answered.resolve(new Response(null, { status: 400 }));
  await expect.element(page.getByText("Failed to load data").first()).toBeVisible();
  await expect.element(page.getByText("Collecting performance data...")).not.toBeInTheDocument();
});

test("figures, components and trends show the values of the metrics", async () => {
  const reason = "3 waiting, all slots are busy.";
  service.answer(systemMetrics, () => ({
    uptime: 86_400 + 2 * 3_600 + 3 * 60,
    totalUploads: 1_000,
    activeUploads: 4,
    failedUploads: 5,
    cloudflare: {
      r2Storage: { usedGB: 12.5, utilization: "1.3%", status: "unhealthy" },
      d1Database: { totalRecords: 4_321, status: "degraded" },
      workers: { environment: "preview" },
      queues: { vodResumeQueue: { reason } },
    },
    performance: { throughput: "4.2 ops/min" },
  }));
  mountConsole("/system");
  for (const [name, value] of [
    ["Uptime", "1d 2h 3m"],
    ["Active Jobs", "4"],
    ["Total Uploads", "1,000"],
    ["Failed Uploads", "5"],
  ] as const) {
    const term = page.getByRole("term").filter({ hasText: name });
    await expect.poll(() => term.query()?.nextElementSibling?.textContent).toBe(value);
  }
  for (const part of [
    /Workers\s*healthy\s*Environment: preview/,
    /R2 Storage\s*unhealthy\s*12\.5 GB used, 1\.3% utilization/,
    /D1 Database\s*degraded\s*4,321 total records/,
    /KV Namespaces\s*healthy\s*5 namespaces active/,
    /Queue\s*healthy\s*VOD Resume Queue · 3 waiting, all slots are busy\./,
  ])
    await expect.element(page.getByRole("listitem").filter({ hasText: part })).toBeVisible();
  for (const series of [/^Active Uploads, /, /^Storage %, /, /^Throughput \(ops\/min\), /])
    await expect.element(page.getByRole("img", { name: series })).toBeVisible();
  await page.getByRole("button", { name: "Show table" }).first().click();
  const rows = page.getByRole("table", { name: /^Performance/ }).getByRole("row");
  await expect.poll(() => rows.all().length).toBeGreaterThan(1);
  const [header, newest] = rows.elements().map((row) => row.textContent);
  expect(header).toBe("TimeActive UploadsStorage %Throughput (ops/min)");
  expect(newest).toMatch(/M41\.3%4\.2$/);
});

const logCalls = () => service.calls.filter((call) => call.includes(systemLogs.path));

test("requests 100 log entries of a level, and names the level if there are none", async () => {
  // Without polls, only the button asks again.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  mountConsole("/system");
  await expect.element(page.getByText("No error logs found")).toBeVisible();
  expect(new Set(logCalls())).toEqual(new Set(["GET /admin/system/logs?level=error&limit=100"]));
  const before = logCalls().length;
  await page.getByRole("button", { name: "Refresh" }).click();
  await until(() => logCalls().length > before);
  expect(logCalls()).toHaveLength(before + 1);
  for (const level of ["Warning", "Info", "Debug"]) {
    await page.getByLabelText("Level").selectOptions(level);
    await expect.element(page.getByText(`No ${level.toLowerCase()} logs found`)).toBeVisible();
  }
});

test("a log entry shows its level, time and message, and its metadata on request", async () => {
  const message = "The object store is full.";
  const entry = {
    id: "1",
    level: "error",
    timestamp: "2026-11-23T12:00:00.000Z",
    message,
  };
  service.answer(systemLogs, () => ({ logs: [{ ...entry, meta: { upload: "seed7" } }] }));
  mountConsole("/system");
  await expect.element(page.getByLabelText("Level")).toHaveDisplayValue("Error");
  const row = page.getByRole("region", { name: /^Error logs/ }).getByRole("listitem");
  await expect.element(row).toHaveTextContent(`Error${message}Nov 23, 2026, 12:00:00 PMMetadata`);
  await expect.element(row.getByText(/seed7/)).not.toBeInTheDocument();
  await row.getByText("Metadata").click();
  await expect.element(row.getByText(/seed7/)).toBeVisible();
});

test.each([
  ["Clear Cache", clearCache, "Failed to clear cache"],
  ["Restart Workers", restartWorkers, "Failed to restart workers"],
  ["Run Checks", examineSystem, "Failed to run the checks"],
] as const)("%s reports a failure", async (name, call, words) => {
  service.answer(call, () => new Response(null, { status: 404 }));
  mountConsole("/system");
  await page.getByRole("button", { name }).click();
  await expect.poll(toastTexts).toContain(words);
});

test("the palette starts what needs no question, and asks what does", async () => {
  signIn(PERMISSIONS, "folder");
  service.answer(backUpNow, () => ({ isStarted: true }));
  service.answer(clearCache, () => ({ cleared: 3 }));
  service.answer(examineSystem, () => ({ canArchive: true, findings: [] }));
  service.answer(readVerification, () => VERIFICATION);
  mountConsole("/users");
  const palette = page.getByRole("dialog", { name: "Commands" });
  async function run(text: string): Promise<void> {
    await userEvent.keyboard("{Control>}k{/Control}");
    await expect.element(palette).toBeVisible();
    await userEvent.keyboard(`${text}{Enter}`);
    await expect.element(palette).not.toBeInTheDocument();
  }
  const question = page.getByRole("dialog");
  async function refuse(words: RegExp, button: string): Promise<void> {
    await expect.element(question.getByText(words)).toBeVisible();
    await question.getByRole("button", { name: button }).click();
    await expect.element(question).not.toBeInTheDocument();
  }
  await expect.element(page.getByRole("heading", { name: "Users" })).toBeVisible();
  await run("clear cache");
  await expect.element(page.getByText(/3 entries dropped$/)).toBeVisible();
  await run("run checks");
  await expect.element(page.getByText(/^A VOD could be archived whole, with/)).toBeVisible();
  await run("back up now");
  await expect.poll(() => service.calls).toContain("POST /admin/system/backups");
  await run("restart workers");
  await refuse(/^Are you sure you want to restart the workers\? 0 running uploads/, "Keep running");
  await run("verify everything");
  await refuse(/^Read every stored byte again/, "Cancel");
  await run("pause all");
  await refuse(/^No VOD is archived by a rule/, "Cancel");
  expect(
    service.calls.filter((one) => /^(?:POST|PATCH).*(?:restart|verif|channels)/.test(one)),
  ).toEqual([]);
});

test("Restart Workers names what it interrupts, and restarts only once that is confirmed", async () => {
  const running = buildUpload({ status: "processing", filename: "evening.ts" });
  answerUploads(service, [running]);
  service.answer(restartWorkers, () => ({ restarted: 1, resumed: 1 }));
  mountConsole("/system");
  await page.getByRole("button", { name: "Restart Workers" }).click();
  const dialog = page.getByRole("dialog");
  await expect
    .poll(() => dialog.element().textContent)
    .toMatch(/1 running upload will be interrupted.*evening\.ts/);
  const isRestarted = () => service.calls.some((call) => call.endsWith("/workers/restart"));
  expect(isRestarted()).toBe(false);
  await dialog.getByRole("button", { name: "Restart workers" }).click();
  await expect.poll(toastTexts).toContain("Workers restarted successfully");
  expect(isRestarted()).toBe(true);
});

test("Run Checks shows a line for each check and what Twitch changed", async () => {
  service.answer(examineSystem, () => ({
    at: "2026-11-23T12:00:00.000Z",
    version: "1.0.0",
    canArchive: false,
    differences: ["Since 2026-11-03, Twitch sends something new: tag EXT-X-NEW."],
    findings: [
      { topic: "Settings", result: "ok", text: "" },
      { topic: "Clock", result: "advice", text: "Set \u202eit." },
      { topic: "Media hosts", result: "problem", text: "Add x.example." },
    ],
  }));
  mountConsole("/system");
  await page.getByRole("button", { name: "Run Checks" }).click();
  const lines = page.getByRole("list", { name: "Results of the checks" }).getByRole("listitem");
  await expect.poll(() => lines.all().length).toBe(3);
  expect(lines.nth(0).element().textContent).toBe("okSettings");
  expect(lines.nth(2).element().textContent).toBe("problemMedia hosts: Add x.example.");
  expect(lines.nth(1).element().textContent).not.toContain("\u202e");
  await expect
    .element(page.getByRole("list", { name: "Changes at Twitch" }))
    .toHaveTextContent("Since 2026-11-03, Twitch sends something new: tag EXT-X-NEW.");
  await expect.poll(toastTexts).toContain("The checks found problems");
});

test("a check of Twitch that keeps failing is a banner on every screen", async () => {
  const twitchFault = "Playback token: \u202eTwitch refuses it.";
  service.answer(browserNotifications, () => ({ twitchFault }));
  mountConsole("/system");
  const banner = page.getByRole("status").getByText(/^Checks of Twitch fail/);
  await expect.element(banner).toBeVisible();
  const text = banner.element().textContent;
  expect(text).toMatch(/Playback token: .*Twitch refuses it\.$/);
  expect(text).not.toContain("\u202e");
});
