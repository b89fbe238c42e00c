import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { page } from "vitest/browser";
import { startBulkRun } from "#console/lib/bulk-run.ts";
import { answerDashboard } from "#console/testing/answer-dashboard.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

/** Screens that may not be read ask the service for nothing. */
const SCREENS = [
  { address: "/users", title: "Users" },
  { address: "/system", title: "System" },
] as const;

const heading = (name: string) => page.getByRole("heading", { level: 1, name });

afterEach(() => void vi.useRealTimers());

test("a bulk run is shown and can be stopped on every screen", async () => {
  scriptService();
  signIn(["write:users"]);
  mountConsole(SCREENS[0].address);
  await expect.element(heading(SCREENS[0].title)).toBeVisible();
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const begun: string[] = [];
  const run = startBulkRun({
    verb: "Deleting files",
    ids: ["a", "b", "c"],
    batchSize: 1,
    atOnce: 1,
    async work([id = ""]) {
      begun.push(id);
      await answers[begun.length - 1]?.promise;
      return new Map();
    },
    reportTitle: String,
    nameOf: String,
  });
  await expect.element(page.getByText("Deleting files: 0 of 3")).toBeVisible();
  await expect
    .element(page.getByRole("link", { name: "System", exact: true }))
    .not.toBeInTheDocument();
  // At once: the second key counts for 1.5 s, for which a busy machine may delay it.
  for (const key of "gs")
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  await expect.element(heading(SCREENS[1].title)).toBeVisible();
  answers[0]?.resolve();
  await expect.element(page.getByText("Deleting files: 1 of 3")).toBeVisible();
  await page.getByRole("button", { name: "Stop" }).click();
  answers[1]?.resolve();
  await run;
  expect(begun).toEqual(["a", "b"]);
  await expect.element(page.getByText(/^Deleting files/)).not.toBeInTheDocument();
});

/** Stands in the page for the script of its build, which is not fetched. */
function pretendBuild(address: string): void {
  const script = document.createElement("script");
  script.type = "text/plain";
  script.setAttribute("src", address);
  document.head.prepend(script);
  onTestFinished(() => script.remove());
}

/** Where the screen begins on a phone and on a laptop. */
async function topsOfMain(): Promise<readonly number[]> {
  const tops: number[] = [];
  for (const widthPx of [390, 1280]) {
    await page.viewport(widthPx, 800);
    tops.push(page.getByRole("main").element().getBoundingClientRect().top);
  }
  return tops;
}

test("offers to reload once a new build is served, and ignores a proxy's page", async () => {
  scriptService();
  const scripted = fetch;
  let served = `<meta name="base-path"><script src="/assets/index-old.js"></script>`;
  let checks = 0;
  vi.stubGlobal("fetch", async (address: string, init?: RequestInit) => {
    if (address !== "/") return scripted(address, init);
    checks += 1;
    return new Response(served);
  });
  pretendBuild("/assets/index-old.js");
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  signIn(["write:users"]);
  mountConsole(SCREENS[0].address);
  await expect.element(heading(SCREENS[0].title)).toBeVisible();
  const notice = page.getByText("New version available");
  async function checkAgain(): Promise<void> {
    const before = checks;
    await vi.advanceTimersByTimeAsync(300_000);
    await expect.poll(() => checks).toBe(before + 1);
  }
  await checkAgain();
  served = "<h1>Please sign in</h1>";
  await checkAgain();
  await expect.element(notice).not.toBeInTheDocument();
  served = `<meta name="base-path"><script src="/assets/index-new.js"></script>`;
  const before = await topsOfMain();
  await checkAgain();
  await expect.element(notice).toBeVisible();
  expect(await topsOfMain()).toEqual(before);
  await notice.click();
  await expect.element(page.getByRole("button", { name: "Reload" })).toBeEnabled();
});

test("on a phone the navigation closes on a selection", async () => {
  // What the links that the pointer passes would show.
  answerDashboard(scriptService());
  signIn(["write:users"]);
  await page.viewport(390, 844);
  mountConsole(SCREENS[0].address);
  const drawer = page.getByRole("dialog", { name: "Navigation" });
  await page.getByRole("button", { name: "Open navigation" }).click();
  await drawer.getByRole("link", { name: "Dashboard" }).click();
  await expect.element(drawer).not.toBeInTheDocument();
  await expect.element(heading("Dashboard")).toBeVisible();
});
