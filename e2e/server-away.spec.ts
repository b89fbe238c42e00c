import { expect, test } from "./fixtures/journey.ts";

test.use({ scene: "server-away" });

test("a screen that was not loaded before shows Retry until the server is back", async ({
  app,
  page,
  signIn,
  quietConsole,
}) => {
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

test("repeated server errors change the system status, also on the Notifications screen", async ({
  page,
  signIn,
  quietConsole,
}) => {
  quietConsole.allow(/Failed to load resource/);
  await signIn("Avery Admin");
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
