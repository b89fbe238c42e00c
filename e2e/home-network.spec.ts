import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, test as base } from "@playwright/test";
import { startChild } from "../bench/rigs/child.ts";
import { CHROMIUM_LAUNCH } from "../scripts/testing/chromium.ts";
import { findFreePort } from "#hosts/node/testing/free-port.ts";
import { startTwitchStandIn } from "#stand-ins/twitch/server.ts";
import { APPLICATION } from "#stand-ins/twitch/world.ts";
import { expectAccessible } from "./fixtures/accessibility.ts";
import { archiveVod } from "./fixtures/new-archive.ts";

/** A name of the home network, as browsers on other machines know the NAS. */
const NAS = "nas.home";

type Nas = { readonly url: string; readonly code: () => Promise<string> };

/** An empty NAS on which Vodkeep was just started, open to the network, without Twitch's credentials. */
const test = base.extend<{ readonly scheme: "http" | "https"; readonly nas: Nas }>({
  scheme: ["https", { option: true }],
  nas: async ({ scheme }, use) => {
    const port = await findFreePort();
    const url = `${scheme}://${NAS}:${port}`;
    const dataDir = await mkdtemp(join(tmpdir(), "vodkeep-nas-"));
    const twitch = await startTwitchStandIn({ redirectUris: [`${url}/auth/callback`] });
    const { TWITCH_CLIENT_ID: _id, TWITCH_CLIENT_SECRET: _secret, ...urls } = twitch.settings;
    const child = await startChild("hosts/node/main.ts", {
      HOME: process.env["HOME"] ?? "/root",
      HOST: "0.0.0.0",
      PORT: String(port),
      PUBLIC_URL: url,
      DATA_DIR: dataDir,
      ...(scheme === "https" && { TLS: "self-signed" }),
      ...urls,
    });
    await use({ url, code: () => readFile(join(dataDir, "setup-code"), "utf8") });
    await child.stop();
    await twitch.close();
    await rm(dataDir, { recursive: true, force: true });
  },
});

test.use({
  ignoreHTTPSErrors: true,
  launchOptions: {
    ...CHROMIUM_LAUNCH,
    args: [...CHROMIUM_LAUNCH.args, `--host-resolver-rules=MAP ${NAS} 127.0.0.1`],
  },
});

test("from an empty NAS to the first proved VOD: 8 actions, 3 minutes, no proxy", async ({
  nas,
  page,
}) => {
  const begunAt = Date.now();
  // The browser's warning about the certificate, once. As in other counts of tasks, what is clicked or
  // opened is an action; what is typed or pasted is not.
  let actions = 1;
  const act = async (action: Promise<unknown>) => {
    actions += 1;
    await action;
  };
  await act(page.goto(`${nas.url}/setup#${await nas.code()}`));
  await expect(page.getByText(`${nas.url}/auth/callback`)).toBeVisible();
  await page.getByLabel("Client ID").fill(APPLICATION.clientId);
  await page.getByLabel("Client secret").fill(APPLICATION.clientSecret);
  await act(page.getByRole("button", { name: "Check and store" }).click());
  await act(page.getByRole("button", { name: "Sign in with Twitch" }).click());
  await act(page.getByRole("button", { name: "PixelPilot" }).click());
  await act(page.getByRole("link", { name: "New archive" }).click());
  // The box for the rights, and the button.
  actions += 2;
  await archiveVod(page.getByRole("dialog"), "https://www.twitch.tv/videos/2000000002");
  const row = page.getByRole("row", { name: /2000000002/ });
  await expect(row.getByText("Completed")).toBeVisible();
  expect(actions).toBe(8);
  expect(Date.now() - begunAt).toBeLessThan(180_000);
});

test.describe("without TLS", () => {
  test.use({ scheme: "http" });

  test("a code at Twitch leads in, as no redirect does", async ({ nas, page, context }) => {
    await page.goto(`${nas.url}/setup#${await nas.code()}`);
    await expect(page.getByText(/set TLS=self-signed/)).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel("Client ID").fill(APPLICATION.clientId);
    await page.getByLabel("Client secret").fill(APPLICATION.clientSecret);
    await page.getByRole("button", { name: "Check and store" }).click();
    await page.getByRole("button", { name: "Sign in with a code" }).click();
    await expect(page.getByText(/Waiting for Twitch/)).toBeVisible();
    await expectAccessible(page);
    await expect(page.getByRole("button", { name: "Sign in with Twitch" })).toHaveCount(0);
    const twitch = context.waitForEvent("page");
    await page.getByRole("link", { name: "twitch.tv/activate" }).click();
    await (await twitch).getByRole("button", { name: "Deny" }).click();
    await expect(page.getByRole("alert")).toContainText("Twitch refused this code");
    await page.getByRole("button", { name: "Sign in with a code" }).click();
    const again = context.waitForEvent("page");
    await page.getByRole("link", { name: "twitch.tv/activate" }).click();
    await (await again).getByRole("button", { name: "Mo Moderator" }).click();
    await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  });
});
