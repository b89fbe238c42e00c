import { expect, test } from "./fixtures/journey.ts";

test.use({ scene: "gates" });

test("an unauthenticated visitor sees the login screen on every path", async ({
  page,
  expectAccessible,
}) => {
  for (const path of ["/", "/uploads", "/login", "/no/such/page"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
  }
  await expect(
    page.getByText("Sign in with your Twitch account to access the admin panel"),
  ).toBeVisible();
  await expect(page.getByText("Admin Access Required")).toBeVisible();
  await expect(page.getByText(/All administrative actions are logged/)).toBeVisible();
  await expectAccessible(page);
});

test("a signed-in person without permissions can only sign out", async ({
  page,
  signIn,
  expectAccessible,
}) => {
  await signIn("Nina Nobody");
  await expect(page.getByRole("heading", { name: "Access Denied" })).toBeVisible();
  await expect(page.getByText("You don't have administrator privileges")).toBeVisible();
  await expect(page.getByText("Insufficient Permissions")).toBeVisible();
  await expect(page.getByRole("navigation")).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Sign Out" }).click();
  await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
});

test("refusing consent at Twitch says so and returns to the login screen", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "Sign in with Twitch" }).click();
  await page.getByRole("button", { name: /deny/i }).click();
  await expect(page.getByText(/^Authentication failed: /).first()).toBeVisible();
  await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
});

test("a sign-in code that is no good ends in a toast and the login screen", async ({
  page,
  quietConsole,
}) => {
  // The browser itself notes the refused call.
  quietConsole.allow(/Failed to load resource/);
  await page.goto("/auth/callback?code=made-up&state=made-up");
  await expect(page.getByText("Login failed. Please try again.").first()).toBeVisible();
  await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
});

test("logging out clears the stored session and a reload stays out", async ({ page, signIn }) => {
  await signIn("Avery Admin");
  await page.getByRole("button", { name: /log ?out|sign out/i }).click();
  await expect(page.getByText("Logged out successfully").first()).toBeVisible();
  expect(await page.evaluate(() => Object.keys(localStorage))).not.toContain("admin_token");
  await page.reload();
  await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
});

test("the layout names the product, its pages and the administrator", async ({
  page,
  signIn,
  expectAccessible,
}) => {
  await signIn("Avery Admin");
  await expect(page).toHaveTitle(/Preview Admin/i);
  await expect(page.getByText("Control Panel")).toBeVisible();
  await expect(page.getByText("System Status: Online")).toBeVisible();
  await expect(page.getByText("Version 1.0.0")).toBeVisible();
  await expect(page.getByText("Administrator", { exact: true })).toBeVisible();
  const links = page.getByRole("navigation").getByRole("link");
  await expect(links).toHaveText([
    "Dashboard",
    "Upload Monitor",
    "Failed Uploads",
    "File Browser",
    "Users",
    "Notifications",
    "System",
  ]);
  for (const name of await links.allInnerTexts()) {
    await page.getByRole("navigation").getByRole("link", { name }).click();
    await expect(page.getByRole("navigation").getByRole("link", { name })).toHaveAttribute(
      "aria-current",
      "page",
    );
    await expectAccessible(page);
  }
});

test("on a phone the navigation is a dialog behind a button", async ({
  page,
  signIn,
  expectAccessible,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn("Avery Admin");
  await expect(page.getByRole("link", { name: "Upload Monitor" })).toBeHidden();
  await page.getByRole("button", { name: /menu|navigation/i }).click();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Upload Monitor" }).click();
  await expect(page.getByRole("heading", { name: "Upload Monitor" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Failed Uploads" })).toBeHidden();
});
