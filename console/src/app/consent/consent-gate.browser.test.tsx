import { beforeEach, describe, expect, test } from "vitest";
import { page } from "vitest/browser";
import { login } from "#contract/auth.ts";
import {
  agree,
  CONSENT_TEXT_VERSION,
  readConsentPage,
  readOwnConsent,
  withdrawBySignIn,
  type Consent,
} from "#contract/consent.ts";
import {
  rememberWithdrawal,
  takeConsentPage,
  takeWithdrawal,
} from "#console/lib/consent-return.ts";
import { setSignedOut } from "#console/lib/session-store.ts";
import { expectAccessible, LOOKS } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { refusal, scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";

// Loads the script of every part beforehand.
import.meta.glob(["./*.tsx", "../gates/*.tsx", "!**/*.browser.test.tsx"], { eager: true });

const TOKEN = "ab".repeat(32);
const AGREED: Consent = {
  textVersion: CONSENT_TEXT_VERSION,
  agreedAt: "2026-11-20T10:00:00.000Z",
  withdrawnAt: null,
};
const WITHDRAWN: Consent = { ...AGREED, withdrawnAt: "2026-11-22T10:00:00.000Z" };

/** The signed-in user of `signIn` is 1001. */
function invitationFor(twitchId: string) {
  return {
    channel: { twitchId, login: "pixelpilot", displayName: "PixelPilot" },
    invitedBy: "Avery Admin",
    expiresAt: "2026-12-04T10:00:00.000Z",
  };
}

let service: ReturnType<typeof scriptService>;
beforeEach(() => {
  service = scriptService();
  service.answer(readConsentPage, () => invitationFor("1001"));
});

const button = (name: string) => page.getByRole("button", { name, exact: true });

function signInAsOwner(consent: Consent): void {
  signIn([]);
  service.answer(readOwnConsent, () => ({ consent }));
}

/** What leads to each state of the page, and what it then shows. */
const STATES: Readonly<
  Record<string, { readonly path?: string; readonly enter: () => void; readonly shows: RegExp }>
> = {
  "signed out": {
    enter: () => setSignedOut(false),
    shows: /Only PixelPilot \(@pixelpilot\) can agree\. Signing in agrees to nothing yet/,
  },
  "the owner, not asked before": {
    enter: () => signIn([]),
    shows: /You have not agreed\. Signing in has not changed that/,
  },
  "the owner, in force": {
    enter: () => signInAsOwner(AGREED),
    shows: /You agreed on/,
  },
  "the owner, in force by an earlier text": {
    enter: () => signInAsOwner({ ...AGREED, textVersion: 1 }),
    shows: /before this text said that media servers may play your videos/,
  },
  "the owner, withdrawn": {
    enter: () => signInAsOwner(WITHDRAWN),
    shows: /If you agree again, the copies that stopped continue/,
  },
  "another account": {
    enter() {
      signIn([]);
      service.answer(readConsentPage, () => invitationFor("7"));
    },
    shows: /You are signed in as Avery Admin\. Only PixelPilot \(@pixelpilot\) can agree/,
  },
  "an ended link": {
    enter() {
      setSignedOut(false);
      service.answer(readConsentPage, () => refusal("This link is not valid."));
    },
    shows: /it has expired or was replaced/,
  },
  "no link, withdrawn": {
    path: "/consent",
    enter: () => signInAsOwner(WITHDRAWN),
    shows: /To agree again, ask an administrator for a new link/,
  },
};

describe.each(LOOKS)("$widthPx px, $theme:", ({ widthPx, theme, rules }) => {
  test.each(Object.entries(STATES))("%s is accessible", async (_name, { path, enter, shows }) => {
    await page.viewport(widthPx, 800);
    document.documentElement.dataset["theme"] = theme;
    enter();
    mountConsole(path ?? `/consent/${TOKEN}`);
    await expect.element(page.getByText(shows)).toBeVisible();
    await expectAccessible(rules);
  });
});

test("the owner of an earlier text is asked again, and may withdraw as before", async () => {
  signInAsOwner({ ...AGREED, textVersion: 1 });
  service.answer(agree, () => ({ consent: AGREED }));
  mountConsole(`/consent/${TOKEN}`);
  await expect.element(button("Withdraw")).toBeVisible();
  await button("Agree").click();
  await expect.element(button("Agree")).not.toBeInTheDocument();
  await expect.element(button("Withdraw")).toBeVisible();
});

test("nobody but the owner is offered to agree", async () => {
  service.answer(readConsentPage, () => invitationFor("7"));
  signIn();
  mountConsole(`/consent/${TOKEN}`);
  await expect.element(page.getByText(/You are signed in as/)).toBeVisible();
  await expect.element(button("Agree")).not.toBeInTheDocument();
  expect(service.calls).not.toContain("GET /admin/consent");
});

test("a refusal is shown, and nothing counts as agreed", async () => {
  signIn([]);
  const message = "The text has changed. Reload the page and read it again.";
  service.answer(agree, () => refusal(message, "conflict", 409));
  mountConsole(`/consent/${TOKEN}`);
  await button("Agree").click();
  await expect.element(page.getByText(message)).toBeVisible();
  await expect.element(page.getByText(/You have not agreed/)).toBeVisible();
});

test("signing out stays on the page, where another account can sign in", async () => {
  signIn([]);
  mountConsole(`/consent/${TOKEN}`);
  await expect.element(button("Agree")).toBeVisible();
  setSignedOut(false);
  await expect.element(button("Sign in with Twitch")).toBeVisible();
  await expect.element(page.getByRole("heading", { name: "Archiving your VODs" })).toBeVisible();
});

test.each([
  ["Sign in with Twitch", false],
  ["Withdraw with Twitch", true],
])("%s notes the page of consent that it begins on", async (label, isWithdrawal) => {
  setSignedOut(false);
  // Not Twitch's, so the test's page stays.
  service.answer(login, () => ({ authUrl: "https://elsewhere.example/" }));
  mountConsole(`/consent/${TOKEN}`);
  await button(label).click();
  await expect.poll(toastTexts).toContain("Failed to initiate login. Please try again.");
  expect(takeWithdrawal()).toBe(isWithdrawal);
  expect(takeConsentPage()).toEqual({ token: TOKEN });
});

test("a refused sign-in leads back as well, and only once", async () => {
  sessionStorage.setItem("consent_page", TOKEN);
  mountConsole("/auth/callback?error=access_denied");
  await expect.element(page.getByText(/Only PixelPilot/)).toBeVisible();
  expect(takeConsentPage()).toBeNull();
});

test("who is banned withdraws by a sign-in that opens no session", async () => {
  setSignedOut(false);
  rememberWithdrawal(TOKEN);
  sessionStorage.setItem("sign_in_state", "begun");
  service.answer(withdrawBySignIn, () => ({}));
  mountConsole("/auth/callback?code=given&state=begun");
  await expect.poll(toastTexts).toContain("No consent of this account is in force any more.");
  await expect.element(page.getByText(/Only PixelPilot/)).toBeVisible();
  expect(service.calls).not.toContain("POST /admin/auth/callback");
});

test("what is not a token leads to no address of its own", () => {
  sessionStorage.setItem("consent_page", "//evil.example");
  expect(takeConsentPage()).toEqual({ token: null });
});
