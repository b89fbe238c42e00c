import { beforeEach, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { logout } from "#contract/auth.ts";
import { answerFull } from "#console/testing/answer-full.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

declare global {
  interface Window {
    hacked?: boolean;
  }
}

/** Markup, and the text that must be shown. */
const MARKUP = '<img src=x onerror="window.hacked=true">';

/** Names that could execute, reorder, hide, stack up or push other text aside. */
const NAMES: readonly string[] = [
  `${MARKUP}<script>window.hacked=true</script>`,
  "invoice\u202Efdp.exe\u202C \u2066isolated\u2069",
  "ad\u200Bmin\u00AD \u3164\u200E\u{E0041}",
  "👨‍👩‍👧‍👦👩🏽‍🚀🏳️‍🌈 Z\u0351\u036B\u0343\u0301\u0302\u0303\u0304\u0305\u0306\u0307algo\u0336",
  "W".repeat(300),
  "many words ".repeat(60),
  "bell\u0007 escape\u001B[31m return\r\nSet-Cookie: a=b",
  "{{7*7}} ${7*7} javascript:alert(1) '; DROP TABLE uploads; --",
];

/** Hides or reorders, so it must never reach the page. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const DECEIVING = /[\u0007\u001B\u00AD\u200B\u200E\u202A-\u202E\u2066-\u2069\u3164]|\u{E0041}/u;

/** Enough for two lines in every field, and far less than a name could cause. */
const MAX_ROW_HEIGHT_PX = 480;

/** The File Browser shows the longest name uncut. */
const MAX_FILE_ROW_HEIGHT_PX = 800;

/** Fields of answers whose texts others choose. */
const UNTRUSTED =
  /^(?:title|streamTitle|filename|username|displayName|invitedBy|email|message|body|error|errorMessage|reason|banReason|stallReason|problem)$/;

/** Some fields of these names hold one of a few fixed words, such as `sign_in`. */
const WORD_OF_THE_CONTRACT = /^[a-z]+_[a-z_]+$/;

beforeEach(() => {
  const service = scriptService();
  answerFull(service);
  service.answer(logout, () => ({}));
  const scripted = fetch;
  vi.stubGlobal("fetch", async (address: string, init?: RequestInit) => {
    const response = await scripted(address, init);
    let texts = 0;
    const poisoned: unknown = JSON.parse(await response.text(), (field, value: unknown) => {
      if (/^meta(?:data)?$/.test(field) && typeof value === "object" && value !== null)
        return { ...value, [MARKUP]: NAMES.join(" ") };
      const isText = typeof value === "string" && !WORD_OF_THE_CONTRACT.test(value);
      return UNTRUSTED.test(field) && isText ? NAMES[texts++ % NAMES.length] : value;
    });
    return Response.json(poisoned, response);
  });
  signIn();
});

/** Expects that names are shown as text: nothing was executed, hidden or moved. */
async function expectHarmless(): Promise<void> {
  for (const widthPx of [320, 1280]) {
    await page.viewport(widthPx, 900);
    expect(window.hacked).toBeUndefined();
    expect(document.querySelectorAll("img[src='x'], body script:not([src])")).toHaveLength(0);
    expect(document.body.innerText).not.toMatch(DECEIVING);
    const labels = [...document.querySelectorAll("[aria-label], [title]")].map(
      (one) => `${one.getAttribute("aria-label")} ${one.getAttribute("title")}`,
    );
    expect(labels.join("\n")).not.toMatch(DECEIVING);
    const { scrollWidth, clientWidth } = document.documentElement;
    expect(scrollWidth).toBe(clientWidth);
  }
  const isFiles = document.querySelector("h1")?.textContent === "R2 File Browser";
  const limitPx = isFiles ? MAX_FILE_ROW_HEIGHT_PX : MAX_ROW_HEIGHT_PX;
  // A debug panel is a row as well, of any height.
  const tallRows = [...document.querySelectorAll("main tbody > tr:not([id]), main li")]
    .filter((one) => one.getBoundingClientRect().height > limitPx)
    .map((one) => one.outerHTML.slice(0, 200));
  expect(tallRows).toEqual([]);
}

test.each([
  "/",
  "/uploads",
  "/uploads/failed",
  "/files",
  "/users",
  "/notifications",
  "/system",
  "/audit",
  "/channels",
  `/consent/${"a".repeat(64)}`,
])("%s shows hostile names as text, without breaking the layout", async (address) => {
  mountConsole(address);
  await expect.poll(() => document.querySelector("main")?.innerText).toContain(MARKUP);
  await expect.poll(() => document.querySelector("main [data-skeleton]")).toBeNull();
  await expectHarmless();
});

const press = (name: RegExp) => page.getByRole("button", { name }).first().click();

async function choose(name: RegExp): Promise<void> {
  await page
    .getByRole("button", { name: /^Actions for/ })
    .last()
    .click();
  await page.getByRole("menuitem", { name }).click();
}

test.each([
  ["/uploads", "debug panel", () => press(/^Debug information of/), /Internal VOD ID/],
  ["/uploads", "drawer", () => page.getByRole("link", { name: /^<img/ }).first().click(), /Proof/],
  ["/uploads", "question before a deletion", () => choose(/^Delete/), /stopped/],
  ["/files", "details", () => choose(/^View Details/), /vods\/1\/2/],
  ["/files", "question before a deletion", () => choose(/^Delete/), /vods\/1\/2/],
  ["/users", "permissions", () => choose(/^Manage Permissions/), /Twitch ID 2004/],
  ["/users", "question before a ban", () => choose(/^Ban User/), /Twitch ID 2004/],
  ["/users", "details", () => press(/^<img/), /@avery/],
] as const)(
  "on %s the %s shows hostile names with ids beside them",
  async (address, _what, open, id) => {
    mountConsole(address);
    await open();
    await expect.element(page.getByText(id).last()).toBeVisible();
    await expectHarmless();
  },
);

test("a provider's error is shown as text in its toast", async () => {
  mountConsole(`/auth/callback?error=${encodeURIComponent(`${NAMES[0]}${NAMES[1]}${NAMES[4]}`)}`);
  await expect.element(page.getByText(/^Authentication failed: <img src=x/)).toBeVisible();
  await expectHarmless();
});
