import { describe, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { readSetup } from "#contract/setup.ts";
import { setSignedOut } from "#console/lib/session-store.ts";
import { expectAccessible, LOOKS } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";

// Loads the script of every part beforehand.
import.meta.glob(["./*.tsx", "../gates/*.tsx", "!**/*.browser.test.tsx"], { eager: true });

const refused = (status: number, message: string) =>
  Response.json(
    { error: { code: status === 404 ? "not_found" : "forbidden", message } },
    { status },
  );

const from = (credentials: "none" | "stored" | "environment", hasTrialData = false) => ({
  credentials,
  redirectUri: "http://localhost:8787/auth/callback",
  hasTrialData,
});

const STATES = [
  ["a wrong code", () => refused(403, "This is not the code."), /This is not the code/],
  ["no setup", () => refused(404, "There is nothing here."), /The setup is closed/],
  ["the stand-in", () => from("none"), /exactly this OAuth redirect URL/],
  ["what was tried with the stand-in", () => from("none", true), /its channels are paused/],
  ["stored credentials", () => from("stored"), /its credentials are stored/],
  ["the environment's credentials", () => from("environment"), /TWITCH_CLIENT_ID\), which wins/],
] as const;

describe.each(LOOKS)("$widthPx px, $theme:", ({ widthPx, theme, rules }) => {
  test.each(STATES)("the setup shows %s", async (_state, answer, shows) => {
    await page.viewport(widthPx, 800);
    document.documentElement.dataset["theme"] = theme;
    scriptService().answer(readSetup, answer);
    setSignedOut(false);
    mountConsole("/setup");
    await page.getByLabelText("Setup code").fill("1f0c-99ab-03de-7712");
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByText(shows)).toBeVisible();
    await expectAccessible(rules);
  });
});

test("another application can be given in place of the stored one", async () => {
  scriptService().answer(readSetup, () => from("stored"));
  setSignedOut(false);
  mountConsole("/setup");
  await page.getByLabelText("Setup code").fill("1f0c-99ab-03de-7712");
  await userEvent.keyboard("{Enter}");
  await page.getByRole("button", { name: "Use another Twitch application" }).click();
  await expect.element(page.getByText("1 of 2: use another Twitch application.")).toBeVisible();
});
