import type { Page } from "@playwright/test";
import { callback, login, logout, validate } from "#contract/auth.ts";
import { chooseAccount, TestClient } from "#service/testing/test-client.ts";
import { expectAccessible } from "./fixtures/accessibility.ts";
import { alterAnswer, failCall } from "./fixtures/answers.ts";
import { card, expectToast } from "./fixtures/seen.ts";
import { expect, test } from "./fixtures/journey.ts";
import { signInElsewhere } from "./fixtures/sign-in.ts";

/** The visible toasts. */
const messages = (page: Page) =>
  page.getByRole("region", { name: "Messages", includeHidden: true }).getByRole("listitem");

async function storedKeys(page: Page): Promise<readonly string[]> {
  const keys = await page.evaluate(() => Object.keys(localStorage));
  return keys.filter((key) => key === "admin_token" || key === "admin_user").toSorted();
}

test("an unauthenticated visitor sees the login screen on every path", async ({ page }) => {
  for (const path of ["/", "/uploads", "/login", "/no/such/page"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
  }
  await expect(page).toHaveURL(/:\d+\/$/);
  await expect(
    page.getByText("Sign in with your Twitch account to access the admin panel"),
  ).toBeVisible();
  await expect(page.getByText("Admin Access Required")).toBeVisible();
  await expect(
    page.getByText("This panel is restricted to authorized administrators."),
  ).toBeVisible();
  await expect(page.getByText(/All administrative actions are logged/)).toBeVisible();
});

test("a session that can't be confirmed is cleared silently", async ({ page, quietConsole }) => {
  quietConsole.allow(/Failed to load resource/);
  await page.goto("/");
  for (const isAnswered of [true, false]) {
    if (!isAnswered) await failCall(page, validate);
    await page.evaluate(() => {
      localStorage.setItem("admin_token", "0".repeat(64));
      localStorage.setItem("admin_user", "{}");
    });
    await page.reload();
    await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
    await expect.poll(async () => storedKeys(page)).toEqual([]);
    await expect(messages(page)).toHaveCount(0);
  }
});

test("a sign-in that can't be started shows an error", async ({ page, quietConsole }) => {
  quietConsole.allow(/Failed to load resource/);
  await failCall(page, login);
  await page.goto("/");
  await page.getByRole("button", { name: "Sign in with Twitch" }).click();
  await expectToast(page, "Failed to initiate login. Please try again.");
});

test("a browser that blocks site data is told what a sign-in needs", async ({ page }) => {
  await page.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException("Access is denied for this document.", "SecurityError");
        },
      });
  });
  await page.goto("/");
  await page.getByRole("button", { name: "Sign in with Twitch" }).click();
  await expect(page.getByText(/does not let this site keep cookies and site data/)).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("translate", "no");
});

test("the callback from Twitch is exchanged only with both code and state", async ({ page }) => {
  const exchanges: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === callback.path) exchanges.push(request.url());
  });
  for (const query of ["", "?code=made-up", "?state=made-up"]) {
    await page.goto(`/auth/callback${query}`);
    await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
    await expect(page).toHaveURL(/\/login$/);
  }
  expect(exchanges).toEqual([]);
});

test("a signed-in user without permissions can only sign out", async ({ page, signIn }) => {
  await signIn("Nina Nobody");
  await expect(page.getByRole("heading", { name: "Access Denied" })).toBeVisible();
  await expect(page.getByText("You don't have administrator privileges")).toBeVisible();
  await expect(page.getByText("Insufficient Permissions")).toBeVisible();
  await expect(page.getByText(/contact a system administrator/)).toBeVisible();
  await expect(page.getByRole("navigation")).toHaveCount(0);
  // Screens behind the gate load no data: the browser would log the refused calls.
  await page.reload();
  await expect(page.getByRole("heading", { name: "Access Denied" })).toBeVisible();
  await page.getByRole("button", { name: "Sign Out" }).click();
  await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
});

test("denying consent at Twitch shows an error and the login screen", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "Sign in with Twitch" }).click();
  await page.getByRole("button", { name: /deny/i }).click();
  await expectToast(page, /^Authentication failed: /);
  await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
});

test("a rejected sign-in also shows the reason", async ({ page, signInByHand, quietConsole }) => {
  quietConsole.allow(/Failed to load resource/);
  const message = "This account has been banned from the admin panel.";
  await failCall(page, callback, { status: 403, code: "forbidden", message });
  await signInByHand("Avery Admin");
  await expectToast(page, "Login failed. Please try again.");
  await expectToast(page, message);
  await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
});

test("a sign-in of someone else is refused, even with its cookie", async ({ page, app }) => {
  const client = new TestClient(fetch, app.url, app.url);
  const { authUrl } = await client.expect(login);
  const back = await chooseAccount(authUrl, "1002");
  const cookies = [...client.cookies].map(([name, value]) => ({ name, value, url: app.url }));
  await page.context().addCookies(cookies);
  await page.goto(`/auth/callback?${new URLSearchParams(back)}`);
  await expectToast(page, "Login failed. Please try again.");
  await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
});

test("a session is stored until the logout", async ({ page, signInByHand, quietConsole }) => {
  // A poll may be in flight when the session ends.
  quietConsole.allow(/401/);
  await signInByHand("Avery Admin");
  await expectToast(page, "Successfully logged in!");
  await expect(page).toHaveURL(/:\d+\/$/);
  await expect.poll(async () => storedKeys(page)).toEqual(["admin_token", "admin_user"]);
  await expect(page.getByRole("banner").locator("img")).toHaveAttribute("src", /^http/);
  await page.getByRole("button", { name: /log ?out|sign out/i }).click();
  await expectToast(page, "Logged out successfully");
  await expect.poll(async () => storedKeys(page)).toEqual([]);
  await page.reload();
  await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
});

test("a failed logout still clears the stored session", async ({ page, signIn, quietConsole }) => {
  quietConsole.allow(/Failed to load resource/);
  await signIn("Avery Admin");
  await failCall(page, logout);
  await page.getByRole("button", { name: "Logout" }).click();
  await expectToast(page, "Logout failed");
  await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
  await expect.poll(async () => storedKeys(page)).toEqual([]);
});

test("users can list and end their sessions", async ({ app, browser, page, signIn }) => {
  const elsewhere = await signInElsewhere(browser, app.url, "Avery Admin");
  await expect(elsewhere.getByRole("heading", { name: "Dashboard" })).toBeVisible();

  await signIn("Avery Admin");
  await page.getByRole("link", { name: /your sessions/i }).click();
  const sessions = card(page, "Your Sessions");
  await expect(sessions.getByText("This session")).toHaveCount(1);
  await expectAccessible(page);
  await sessions.getByRole("button", { name: "End Session" }).first().click();
  await expectToast(page, "Session ended");
  await elsewhere.reload();
  await expect(elsewhere.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
  await elsewhere.context().close();
});

test("a 401 leads to /login without a message", async ({ page, context, signIn, quietConsole }) => {
  quietConsole.allow(/Failed to load resource/);
  await signIn("Avery Admin");
  await page.getByRole("link", { name: "System", exact: true }).click();
  await expect(page.getByText("5 namespaces active")).toBeVisible();
  await expect(messages(page)).toHaveCount(0);
  await context.clearCookies();
  // In one step, since a poll between the two would be refused, and the button gone.
  await page.getByRole("button", { name: "Clear Cache" }).evaluate((button: HTMLElement) => {
    localStorage.setItem("admin_token", "0".repeat(64));
    button.click();
  });
  await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeFocused();
  await expect(page).toHaveTitle("Admin Portal · Vodkeep Preview Admin");
  await expect(page).toHaveURL(/\/login$/);
  await expect(messages(page)).toHaveCount(0);
  await expect.poll(async () => storedKeys(page)).toEqual([]);

  await page.getByRole("button", { name: "Sign in with Twitch" }).click();
  await page.getByRole("button", { name: "Avery Admin" }).click();
  await expect(page).toHaveURL(/:\d+\/$/);
  await page.getByRole("button", { name: "Return" }).click();
  await expect(page.getByRole("heading", { name: "System", exact: true })).toBeVisible();
});

test("after a sign-in, a link that was opened without a session is offered", async ({ page }) => {
  await page.goto("/users?role=admin");
  await page.getByRole("button", { name: "Sign in with Twitch" }).click();
  await page.getByRole("button", { name: "Avery Admin" }).click();
  await page.getByRole("button", { name: "Return" }).click();
  await expect(page).toHaveURL(/\/users\?role=admin$/);
});

test("the layout shows the product, its pages and the administrator", async ({ page, signIn }) => {
  await alterAnswer(page, validate, ({ valid, admin }) => ({
    valid,
    admin: admin && { ...admin, profileImageUrl: null },
  }));
  await signIn("Avery Admin");
  await page.reload();
  await expect(page).toHaveTitle(/Preview Admin/i);
  await expect(page.getByText("Control Panel")).toBeVisible();
  await expect(page.getByText("System Status: Online")).toBeVisible();
  await expect(page.getByText("Version 1.0.0")).toBeVisible();
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(page.getByText("Administrator", { exact: true })).toBeVisible();
  }
  const face = page.getByRole("banner").locator("svg:has(text), img");
  await expect(face.locator("rect")).toHaveAttribute("fill", "#8b5cf6");
  await expect(face).toHaveText("AA");
  for (const path of ["/login", "/no/such/page"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
    await expect(page).toHaveURL(/:\d+\/$/);
  }
  const links = page.getByRole("navigation", { name: "Main" }).getByRole("link");
  await expect(links).toHaveText([
    "Dashboard",
    "Upload Monitor",
    "Channels",
    "Failed Uploads",
    "File Browser",
    "Users",
    "Notifications",
    "System",
  ]);
  for (const name of await links.allInnerTexts()) {
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();
    await expect(
      page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }),
    ).toHaveAttribute("aria-current", "page");
  }
  await page.goto("/uploads/failed");
  await expect(links.and(page.locator('[data-highlighted="true"]'))).toHaveText([
    "Upload Monitor",
    "Failed Uploads",
  ]);
});
