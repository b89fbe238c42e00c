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

test("a dialog that was not loaded before shows an error and leaves the screen intact", async ({
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
  const opener = page.getByRole("button", { name: "your sessions" });
  await opener.click();
  const broken = page.getByRole("dialog", { name: "Something went wrong" });
  await expect(broken.getByRole("alert")).toContainText("The server can't be reached");
  await broken.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  await page.getByRole("button", { name: /^Notifications/ }).click();
  const panel = page.getByRole("region", { name: "Notifications and messages" });
  await expect(panel.getByText("This part could not be shown").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await opener.click();
  await app.start();
  await broken.getByRole("button", { name: "Retry" }).click();
  // A browser that keeps a script's failure reloads the page instead, which closes the dialog.
  const sessions = page.getByRole("dialog", { name: "Your Sessions" });
  await expect(async () => {
    if (!(await sessions.isVisible())) await opener.click({ timeout: 5_000 });
    await expect(sessions).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await expect(broken).toBeHidden();
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
