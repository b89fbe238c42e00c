import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readSetup } from "#contract/setup.ts";
import { startTwitchStandIn, type TwitchStandIn } from "#stand-ins/twitch/server.ts";
import { APPLICATION } from "#stand-ins/twitch/world.ts";
import { expectAccessible } from "./fixtures/accessibility.ts";
import { expect, test as base } from "./fixtures/journey.ts";
import { expectToast } from "./fixtures/seen.ts";

/** Plays the real Twitch, at the addresses that the settings name; the host starts another one. */
const test = base.extend<{ readonly twitch: TwitchStandIn }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixture's needs from this pattern
  twitch: async ({}, use) => {
    const twitch = await startTwitchStandIn();
    await use(twitch);
    await twitch.close();
  },
  settings: async ({ twitch }, use) => {
    const { TWITCH_CLIENT_ID: _id, TWITCH_CLIENT_SECRET: _secret, ...urls } = twitch.settings;
    await use(urls);
  },
});

test("from the terminal's code to a signed-in administrator, and again after a restart", async ({
  app,
  page,
  quietConsole,
}) => {
  const code = (await readFile(join(app.dataDir, "setup-code"), "utf8")).trim();
  quietConsole.allow(/403 \(Forbidden\)/);
  await page.goto("/setup#of-an-earlier-start");
  await expect(page.getByRole("alert")).toContainText("not the code of this start");
  await page.goto(`/setup#${code}`);
  await expect(page.getByText(`${app.url}/auth/callback`)).toBeVisible();
  expect(page.url()).toBe(`${app.url}/setup`);
  await expectAccessible(page);

  quietConsole.allow(/400 \(Bad Request\)/);
  await page.getByLabel("Client ID").fill(APPLICATION.clientId);
  await page.getByLabel("Client secret").fill("a wrong secret");
  await page.getByRole("button", { name: "Check and store" }).click();
  await expect(page.getByRole("alert")).toContainText("without spaces");
  await page.getByLabel("Client secret").fill("wrong");
  await page.getByRole("button", { name: "Check and store" }).click();
  await expect(page.getByRole("alert")).toContainText("invalid client secret");

  // The policy of pages allows the pictures of the real Twitch, not of what plays it here.
  quietConsole.allow(/Loading the image 'http:\/\/127\.0\.0\.1/);
  // The service is away while it restarts.
  quietConsole.allow(/503 \(Service Unavailable\)|ERR_CONNECTION|MissingScript/);
  await page.getByLabel("Client secret").fill(APPLICATION.clientSecret);
  await page.getByLabel("Client secret").press("Enter");
  await expect(page.getByText("2 of 2")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Sign in with Twitch" }).click();
  await page.getByRole("button", { name: "Deny" }).click();
  await expectToast(page, "Authentication failed: access_denied");
  await expect(page.getByText("2 of 2")).toBeVisible();
  await page.reload();
  await page.getByRole("button", { name: "Sign in with Twitch" }).click();
  await page.getByRole("button", { name: "Mo Moderator" }).click();
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();

  await app.stop();
  await app.start();
  await page.goto("/users");
  await expect(page.getByRole("row", { name: /Mo Moderator/ })).toBeVisible();
  const closed = await fetch(`${app.url}${readSetup.path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  expect(closed.status).toBe(404);
  await expect(readFile(join(app.dataDir, "setup-code"))).rejects.toThrow("ENOENT");
});
