import type { Page } from "@playwright/test";
import { signedInApi, startAndAwait } from "./fixtures/archives.ts";
import { expect, test } from "./fixtures/journey.ts";

/**
 * Six times what the top bar may take. Other polls are 30 s apart: two of them, which an outage needs,
 * would be too late.
 */
const OUTAGE_MS = 30_000;

test("a screen not loaded before shows Retry", async ({ app, page, signIn, quietConsole }) => {
  quietConsole.allow(
    /Failed to load resource|dynamically imported module|ERR_CONNECTION|Metrics|MissingScript/,
  );
  await signIn("Avery Admin");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  await app.stop();
  await page.getByRole("link", { name: "Users", exact: true }).click();
  await expect(page.getByText("This screen could not be shown")).toBeVisible();
  await expect(page.getByText("System Status: Offline")).toBeVisible();
  const retry = page.getByRole("main").getByRole("button", { name: "Retry" });
  await retry.click();
  await expect(retry).not.toHaveAttribute("aria-busy");
  await expect(page.getByText("This screen could not be shown")).toBeVisible();
  await app.start();
  await expect(page.getByText("System Status: Online")).toBeVisible();
  await retry.click();
  await expect(page.getByRole("heading", { name: "Users", exact: true })).toBeVisible();
});

test("repeated server errors change the system status", async ({
  page,
  bringSession,
  quietConsole,
}) => {
  quietConsole.allow(/Failed to load resource/);
  await bringSession("Avery Admin");
  await page.clock.install();
  await page.goto("/notifications");
  await expect(page.getByText("System Status: Online")).toBeVisible();
  await page.route("**/admin/**", (route) => route.fulfill({ status: 500, body: "" }));
  await page.clock.runFor(35_000);
  await expect(page.getByText("System Status: Failing")).toBeVisible();
  await page.unroute("**/admin/**");
  await page.clock.runFor(35_000);
  await expect(page.getByText("System Status: Online")).toBeVisible();
});

test("each tab shows a server's restart", async ({ app, context, page, signIn, quietConsole }) => {
  quietConsole.allow(/Failed to load resource|ERR_CONNECTION|Metrics/);
  await signIn("Avery Admin");
  const tabs = [page];
  for (const path of ["/uploads", "/uploads?status=failed", "/files"]) {
    const tab = await context.newPage();
    await tab.goto(path);
    tabs.push(tab);
  }
  const monitors = tabs.slice(1, 3);
  const shown = (status: string) =>
    Promise.all(
      tabs.map((tab) =>
        expect(tab.getByText(`System Status: ${status}`)).toBeVisible({ timeout: OUTAGE_MS }),
      ),
    );
  for (const tab of monitors) await expect(tab.getByText("Live", { exact: true })).toBeVisible();
  await shown("Online");
  await app.stop();
  await shown("Offline");
  for (const tab of monitors) {
    // Said once for the whole screen.
    await expect(tab.getByText(/^The server cannot be reached\. It last worked/)).toBeVisible();
    await expect(tab.getByText(/^Reconnecting/)).toHaveCount(0);
    await expect(tab).not.toHaveURL(/live=paused/);
  }
  await app.start();
  await shown("Online");
  for (const tab of monitors) await expect(tab.getByText("Live", { exact: true })).toBeVisible();
});

const onButton = (name: string | RegExp) => (page: Page) =>
  page.getByRole("button", { name }).first().click();

const onItem = (menu: RegExp, name: string) => async (page: Page) => {
  await page.getByRole("button", { name: menu }).first().click();
  await page.getByRole("menuitem", { name, exact: true }).click();
};

/** The screens' dialogs, with the scripts that load when the browser is idle. */
const DIALOGS = [
  {
    path: "/uploads",
    scripts: ["uploads-later", "later"],
    opens: [
      onButton("New archive"),
      (page: Page) => page.getByText("One minute above the clouds").click(),
      onItem(/^Actions for/, "Delete"),
      onButton(/^Commands/),
      (page: Page) => page.keyboard.press("?"),
    ],
  },
  {
    path: "/files",
    scripts: ["later"],
    opens: [onItem(/^Actions for/, "View Details"), onItem(/^Actions for/, "Delete")],
  },
  {
    path: "/users",
    scripts: ["later"],
    opens: [onButton("PixelPilot"), onItem(/^Actions for PixelPilot/, "Manage Permissions")],
  },
];

/** A link under the pointer asks for its screen, and idle time for what the signed-out see. */
const ASKED_AHEAD = /\/(?:[\w-]+-page|gates)-[^/]+$/;

test("every dialog opens while offline", async ({
  app,
  context,
  page,
  bringSession,
  quietConsole,
}) => {
  quietConsole.allow(/Failed to load resource|ERR_INTERNET|ERR_CONNECTION|Metrics/);
  await startAndAwait(await signedInApi(app), "2000000002", "completed");
  await bringSession("Avery Admin");
  const dialog = page.getByRole("dialog");
  for (const { path, scripts, opens } of DIALOGS) {
    await page.goto(path);
    await expect
      .poll(() =>
        page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name)),
      )
      .toEqual(expect.arrayContaining(scripts.map((name) => expect.stringContaining(`/${name}-`))));
    await expect(page.getByRole("row").nth(1)).toBeVisible();
    await context.setOffline(true);
    const requested: string[] = [];
    page.on("request", (request) => {
      if (request.resourceType() === "script") requested.push(request.url());
    });
    for (const open of opens) {
      await open(page);
      await expect(dialog).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(dialog).toBeHidden();
    }
    expect(requested.filter((url) => !ASKED_AHEAD.test(url))).toEqual([]);
    await context.setOffline(false);
  }
});
