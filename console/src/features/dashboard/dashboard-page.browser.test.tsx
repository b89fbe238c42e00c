import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { streamTicket } from "#contract/auth.ts";
import { listChannels } from "#contract/channels.ts";
import { dashboardStats, dashboardView } from "#contract/dashboard.ts";
import { systemMetrics, systemSetup } from "#contract/system.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { listUploads, uploadWork } from "#contract/uploads.ts";
import { siteStore } from "#console/lib/browser-storage.ts";
import { FIRST_STEPS_KEY } from "#console/lib/preferences.ts";
import { createQueryClient } from "#console/lib/query-client.ts";
import { answerDashboard } from "#console/testing/answer-dashboard.ts";
import { answerUploads } from "#console/testing/answer-uploads.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService, streams } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { until } from "#console/testing/until.ts";
import { prefetch } from "./dashboard-page.tsx";

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  answerDashboard(service);
  signIn();
});
afterEach(() => {
  vi.useRealTimers();
});

function cardOf(title: string): HTMLElement | undefined {
  return [...document.querySelectorAll("section")].find(
    (section) => section.querySelector("h2")?.textContent === title,
  );
}

const textsOf = (title: string) =>
  [...(cardOf(title)?.querySelectorAll("li") ?? [])].map((item) => item.textContent);

const factsOf = (title: string) =>
  Object.fromEntries(
    [...(cardOf(title)?.querySelectorAll("dt") ?? [])].map((name) => [
      name.textContent,
      name.nextElementSibling?.textContent,
    ]),
  );

test("greets the administrator, tells the time, and shows costs in one line", async () => {
  mountConsole("/");
  await expect.element(page.getByText("Welcome back, Avery Admin")).toBeVisible();
  await expect.element(page.getByText(/^Last updated just now/)).toBeVisible();
  for (const name of [
    /^Total this month so far\$/,
    /^Remaining monthly budget\$/,
    /^Workers\$/,
    /^R2 storage\$/,
  ])
    await expect
      .poll(() => [...document.querySelectorAll("dl > div")].map((pair) => pair.textContent))
      .toContainEqual(expect.stringMatching(name));
});

test("the free space leads to what makes room", async () => {
  const free = 53 * 1024 ** 3;
  service.answer(dashboardStats, () => ({
    storage: { used: 0, free, percentage: 0, trashBytes: 0, bytesPerDay: 0 },
  }));
  mountConsole("/");
  await expect
    .element(page.getByRole("link", { name: "53 GB free" }))
    .toHaveAttribute("href", "/files?room=make");
});

test("a number that may not be read names the permission in full", async () => {
  service.answer(dashboardStats, () => ({}));
  mountConsole("/");
  const note = page.getByText("Needs read:users");
  await expect.element(note).toBeVisible();
  expect(note.element().scrollWidth).toBe(note.element().clientWidth);
});

test("the strip counts anew once a running upload has ended", async () => {
  answerUploads(service);
  const upload = buildUpload({ status: "processing" });
  service.answer(listUploads, () => buildPage([upload]));
  service.answer(uploadWork, () => ({ running: 1 }));
  service.answer(streamTicket, () => ({ streamTicket: "a".repeat(64) }));
  mountConsole("/");
  await expect.element(page.getByText("Running 1")).toBeVisible();
  await expect.poll(() => streams.opened).toHaveLength(1);
  service.answer(uploadWork, () => ({ running: 0 }));
  const ended = { ...upload, status: "completed", version: upload.version + 1 };
  const data = JSON.stringify({ type: "upload_update", upload: ended });
  streams.opened[0]?.dispatchEvent(new MessageEvent("message", { data }));
  await expect.element(page.getByText("Nothing is running")).toBeVisible();
  await expect.element(page.getByText("Running 0")).toBeVisible();
});

test("few permissions show what they permit, and only who may start an archive is led to it", async () => {
  signIn(["read:uploads"]);
  mountConsole("/");
  await expect.element(page.getByText("Nothing is running")).toBeVisible();
  await expect
    .element(page.getByText("Other parts need the permission read:system."))
    .toBeVisible();
  await expect.element(page.getByText("You don't have access")).not.toBeInTheDocument();
  await expect.element(page.getByRole("link", { name: "Archive a VOD" })).not.toBeInTheDocument();
});

const callsOfParts = () =>
  service.calls.filter((one) => /^GET \/admin\/(dashboard|uploads|system|cost)/.test(one));

test("everything comes in one call ahead, and is not asked for again", async () => {
  // A pointer that an earlier test left on a link would ask ahead for its screen.
  await userEvent.hover(document.documentElement, { position: { x: 0, y: 0 } });
  // An answer grows old, and is asked for again, in the time that a slow machine takes to draw it.
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
  const queryClient = createQueryClient();
  void prefetch({ queryClient });
  await until(() => queryClient.isFetching() === 0);
  mountConsole("/", queryClient);
  await until(() => page.getByText("Cost Analysis").query() !== null);
  expect(callsOfParts()).toEqual([
    expect.stringMatching(/^GET \/admin\/dashboard\?dayStart=2\d+-\d\d-\d\dT[^&]+$/),
  ]);
});

test("without the first view, each part asks for itself", async () => {
  service.answer(dashboardView, () => new Response(null, { status: 404 }));
  mountConsole("/");
  await expect.element(page.getByText("Cost Analysis")).toBeVisible();
  await expect.element(page.getByText("Nothing is running")).toBeVisible();
  expect(callsOfParts().length).toBeGreaterThan(9);
});

test("the pie chart has four slices, and a legend with their figures", async () => {
  mountConsole("/");
  const pie = "Uploads by status: Completed 50, Processing 5, Failed 20, Pending 25";
  await expect.element(page.getByRole("img", { name: pie })).toBeVisible();
  await expect.element(page.getByText("2 cancelled uploads not shown")).toBeVisible();
  expect(textsOf("Upload Status")).toEqual([
    "Completed5050%",
    "Processing55%",
    "Failed2020%",
    "Pending2525%",
  ]);
});

test("resources show their usage and status, and each reason of the verdict stands once", async () => {
  const reasons = [
    { part: "workers", status: "unhealthy", text: "Unhealthy: archive workers." },
    { part: "uploads", status: "degraded", text: "Degraded: uploads." },
  ];
  service.answer(systemMetrics, () => ({
    health: { status: "unhealthy", reasons },
    cloudflare: {
      r2Storage: { usedGB: 12.5, utilization: "1.3%", status: "unknown" },
      d1Database: { totalRecords: 4_321, status: "degraded" },
      workers: {
        environment: "preview",
        status: "unhealthy",
        reason: "Last heard of 61 s ago.",
      },
    },
  }));
  mountConsole("/");
  await expect
    .poll(() => textsOf("System Resources"))
    .toEqual([
      expect.stringMatching(/^R2 storageunknown12\.5 GB used/),
      "D1 databasedegraded4,321 total records",
      "Workersunhealthypreview",
    ]);
  await expect.element(page.getByText("Performance issues detected")).toBeVisible();
  for (const { text } of reasons) expect(page.getByText(text).elements()).toHaveLength(1);
  await expect.element(page.getByRole("link", { name: "Open System" })).toBeVisible();
});

test("each cause stands once, that of failures as a link with what helps", async () => {
  const running = Array.from({ length: 4 }, () => buildUpload({ status: "processing" }));
  const failed = ["try_later", "try_later", "gone_at_source"] as const;
  answerUploads(service, [
    ...running,
    buildUpload({ status: "processing", phase: "waiting", errorMessage: "The store is away." }),
    ...failed.map((failureClass) => buildUpload({ status: "failed", failureClass })),
  ]);
  const reason = { part: "store", status: "unhealthy", text: "Unhealthy: The store is away" };
  service.answer(systemMetrics, () => ({
    health: { status: "unhealthy", reasons: [reason] },
  }));
  mountConsole("/");
  await expect.poll(() => textsOf("Running Now")).toHaveLength(5);
  expect(textsOf("Running Now").at(-1)).toMatch(/Waiting, see Needs Attention$/);
  expect(textsOf("Needs Attention")).toEqual([
    `${reason.text} Open System`,
    expect.stringMatching(/^2Source was unavailable.*Retry 2$/),
    expect.stringMatching(/^1Gone at the source/),
  ]);
  await expectAccessible(ALL_RULES);
  await page.getByRole("link", { name: "Source was unavailable" }).click();
  await expect
    .poll(() => service.calls)
    .toContainEqual(expect.stringContaining("failureClass=try_later"));
});

test("recent uploads show status, file, title, size, progress and start; a stored one leads to its video", async () => {
  const running = buildUpload({
    filename: "evening.ts",
    status: "processing",
    progress: 99.9,
    originalSize: 1_536,
    startedAt: new Date(Date.now() - 3.5 * 3_600_000).toISOString(),
  });
  const stored = buildUpload({
    status: "completed",
    fileKey: "vods/1/1/video.ts",
    fileStatus: "complete",
    metadata: { ...running.metadata, streamTitle: "Sunrise approach" },
  });
  answerUploads(service, [running, stored, buildUpload()]);
  mountConsole("/");
  await expect
    .poll(() => textsOf("Recent Uploads"))
    .toEqual([
      expect.stringMatching(/^Processing 99%.*No title.*evening\.ts.*1\.5 KB · 3 hr\. ago/),
      expect.stringContaining("Sunrise approach"),
      expect.stringContaining("Size unknown"),
    ]);
  await expect
    .element(page.getByRole("link", { name: "Sunrise approach" }))
    .toHaveAttribute("href", `/watch/${stored.id}`);
});

test("followed channels show what is in danger, lost and rare, and lead to it", async () => {
  service.answer(listUploads, () => buildPage([buildUpload({ status: "completed" })]));
  service.answer(listChannels, () => ({
    summary: { channels: 12, live: 1, inDanger: 3, lost: 2, rare: 1_204 },
  }));
  mountConsole("/");
  for (const [name, address] of [
    ["3 VODs not stored may be deleted within three days Review", "/channels?state=danger"],
    ["2 VODs lost in the last 30 days Review", "/channels?state=lost"],
    ["1,204 rare", "/files?source=changed"],
  ] as const)
    await expect
      .element(page.getByRole("link", { name, exact: true }))
      .toHaveAttribute("href", expect.stringContaining(address));
  await expectAccessible(ALL_RULES);
});

test("storage over its capacity is the same figure everywhere, and red", async () => {
  const used = 2.79 * 1024 ** 4;
  service.answer(dashboardStats, () => ({ storage: { used, percentage: 285.6 } }));
  service.answer(systemMetrics, () => ({
    cloudflare: { r2Storage: { usedGB: used / 1024 ** 3, utilization: "285.6%" } },
  }));
  mountConsole("/");
  await expect.poll(() => textsOf("System Resources")[0]).toMatch(/over capacity2\.79 TB used/);
  await expect.element(page.getByText("285.6% of total")).toBeVisible();
  await expect.poll(() => factsOf("System Health")).toMatchObject({ "Storage used": "2.79 TB" });
  const fill = page.getByRole("meter", { name: "R2 storage used" }).element().firstElementChild;
  expect(fill?.getAttribute("style")).toContain("--bad");
});

test("health and costs show the figures of the metrics", async () => {
  service.answer(systemMetrics, () => ({
    uptime: 2 * 86_400 + 3 * 3_600 + 4 * 60 + 5,
    totalUploads: 1_234,
    activeUploads: 2,
    cloudflare: { r2Storage: { usedGB: 123 } },
    costAnalysis: {
      costTrend: "increasing",
      dailyCosts: { total: 1.5, workers: 0.25, r2Storage: 1, d1Database: 0.2, kvNamespaces: 0.05 },
      projectedMonthlyCost: 45,
      unitEconomics: { costPerVod: 0.123_45, costPerUser: 2, costPerGB: 0.015 },
    },
  }));
  mountConsole("/");
  await expect
    .poll(() => factsOf("System Health"))
    .toEqual({
      Uptime: "2d 3h 4m",
      "Total uploads": "1,234",
      "Active jobs": "2",
      "Storage used": "123 GB",
    });
  await expect.element(page.getByText("All systems operational")).toBeVisible();
  expect(factsOf("Cost Analysis")).toEqual({
    Trend: "Increasing",
    "Daily cost": "$1.50",
    "Monthly projection": "$45.00",
    Workers: "$0.25",
    "R2 storage": "$1.00",
    "D1 database": "$0.20",
    "KV namespaces": "$0.05",
    "Cost per VOD": "$0.1235",
    "Cost per user": "$2.00",
    "Cost per GB": "$0.0150",
  });
});

test("says that cost data is unavailable without metrics, and that nothing is recent", async () => {
  service.answer(systemMetrics, () => new Response(null, { status: 400 }));
  mountConsole("/");
  await expect.element(page.getByText("No recent uploads")).toBeVisible();
  await expect.element(page.getByText("Cost data not available")).toBeVisible();
});

test("the first steps are one line above, until all are done or they are put away", async () => {
  siteStore.removeItem(FIRST_STEPS_KEY);
  let isDone = false;
  service.answer(systemSetup, () => ({
    steps: [
      { step: "twitch", isDone: true, text: "Sign-in works." },
      { step: "archive", isDone, text: "Nothing is stored yet." },
    ],
  }));
  mountConsole("/");
  const steps = page.getByRole("region", { name: "First steps" });
  await page.getByText("1 of 2 · Next: Archive a first VOD").click();
  await expect.element(page.getByText("Nothing is stored yet.")).toBeVisible();
  await expect
    .element(page.getByRole("link", { name: "Archive a first VOD" }))
    .toHaveAttribute("href", expect.stringContaining("archive=new"));
  await expectAccessible(ALL_RULES);
  await page.getByRole("button", { name: "Put the first steps away" }).click();
  await expect.element(steps).not.toBeInTheDocument();
  expect(siteStore.getItem(FIRST_STEPS_KEY)).not.toBeNull();
  siteStore.removeItem(FIRST_STEPS_KEY);
  isDone = true;
  mountConsole("/");
  await expect.element(page.getByText("2 of 2 · All done")).toBeVisible();
  await expect.poll(() => siteStore.getItem(FIRST_STEPS_KEY)).not.toBeNull();
});
