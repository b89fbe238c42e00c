import { afterEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { callback } from "#contract/auth.ts";
import type { Permission } from "#contract/permissions.ts";
import { setSignedOut } from "#console/lib/session-store.ts";
import { openFull } from "#console/testing/answer-full.ts";
import { ALL_RULES, COLOUR_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { WATCHED } from "#console/testing/sample-uploads.ts";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { SCREEN_LIST } from "./screens.ts";

// States of the screens besides those of design/screens.browser.test.tsx, down to 320 px.

/** Longer than every polling interval. */
const BEYOND_POLLS_MS = 65_000;

const ADDRESSES = SCREEN_LIST.map(({ path }) => path);

afterEach(() => void vi.useRealTimers());

test.each([
  "/uploads?search=zzzz&status=failed",
  "/uploads/failed?search=zzzz",
  "/files?search=zzzz&type=manual",
  "/users?search=zzzz&role=admin",
  "/system?search=zzzz",
  "/audit?search=zzzz&result=refused",
  "/channels?search=zzzz&state=live",
])("%s is accessible without matches", async (address) => {
  scriptService();
  signIn();
  mountConsole(address);
  const clear = page.getByRole("button", { name: /^Clear (filters|search)$/ });
  await expect.element(clear.first()).toBeVisible();
  await expectAccessibleEverywhere();
});

const onButton = (name: string | RegExp) => () =>
  page.getByRole("button", { name }).first().click();

const openLastMenu = () =>
  page
    .getByRole("button", { name: /^Actions for/ })
    .last()
    .click();

const onItemOfLast = (name: string) => async () => {
  await openLastMenu();
  await page.getByRole("menuitem", { name }).click();
};

/** Keys do nothing until the screen is there. */
async function pressQuestionMark(): Promise<void> {
  await expect.poll(isAnswered).toBe(true);
  await userEvent.keyboard("?");
}

test.each([
  ["/uploads", "the menu of an upload", onButton(/^Actions for/), "Delete"],
  ["/uploads", "the debug panel", onButton(/^Debug information of/), /Internal VOD/],
  ["/uploads?upload=failed-for-now", "an upload", onButton("Copy link"), /^Progress history$/],
  ["/uploads", "a new archive", onButton("New archive"), /rights/],
  ["/uploads/failed", "the question before a deletion", onItemOfLast("Delete"), /^Are you sure/],
  ["/files", "the details of a file", onItemOfLast("View Details"), "Full Key"],
  ["/files", "the question before a deletion", onItemOfLast("Delete"), /cannot be undone/],
  [`/watch/${WATCHED}`, "a video in theater mode", onButton("Theater mode"), "Download"],
  [`/watch/${WATCHED}`, "a clip", onButton("Make a clip"), /^30s/],
  ["/users", "the details of a user", onButton("User 4"), "Permissions"],
  ["/users", "the permissions of a user", onItemOfLast("Manage Permissions"), "No changes yet."],
  ["/users", "the question before a ban", onItemOfLast("Ban User"), /^All their sessions/],
  ["/system", "the results of the checks", onButton("Run Checks"), /^Media hosts/],
  ["/system", "the notifications", onButton(/^Notifications/), "Messages of this tab"],
  ["/system", "the command palette", onButton(/^Commands/), "Upload Monitor"],
  ["/system", "the list of shortcuts", pressQuestionMark, "Show this list"],
  ["/channels", "adding channels", onButton("Add channels"), "0 channels"],
  ["/audit", "the details of an entry", onButton(/^Details of entry/), /1001/],
] as const)("on %s %s is accessible", async (address, _what, open, text) => {
  openFull(address);
  await open();
  await expect.element(page.getByText(text).last()).toBeVisible();
  await expectAccessibleAtAllWidths();
});

test("the navigation of a phone is accessible", async () => {
  await page.viewport(320, 800);
  openFull("/system");
  await onButton("Open navigation")();
  await expect.element(page.getByRole("link", { name: "Upload Monitor" })).toBeVisible();
  await expectAccessibleAt(320, "light", COLOUR_RULES);
  await expectAccessibleAt(320, "dark", ALL_RULES);
});

const READING: readonly Permission[] = ["read:uploads", "read:users", "read:system"];

const inMain = (name: string | RegExp) => page.getByRole("main").getByRole("button", { name });

test.each([
  ["/uploads", inMain("New archive")],
  ["/uploads/failed", inMain(/^Retry /)],
  ["/channels", inMain("Add channels")],
  ["/system", inMain("Clear Cache")],
])("%s is accessible with read-only permissions", async (address, button) => {
  openFull(address, READING);
  await expect.element(button.last()).toBeDisabled();
  await expectAccessibleEverywhere();
});

test("the cost thresholds are accessible with read-only permissions", async () => {
  openFull("/?cost=thresholds", READING);
  await expect.element(page.getByText(/^Shown for reading only/)).toBeVisible();
  await expectAccessibleEverywhere();
});

test.each([
  ["/users", /^Manage Permissions/],
  ["/files", /^Delete/],
])("a row's menu on %s is accessible with read-only permissions", async (address, item) => {
  openFull(address, READING);
  await expect.poll(isAnswered).toBe(true);
  await openLastMenu();
  await expect.element(page.getByRole("menuitem", { name: item })).toBeDisabled();
  await expectAccessibleEverywhere();
});

test.each(ADDRESSES)("%s is accessible without read permissions", async (address) => {
  openFull(address, ["write:users"]);
  const texts: Record<string, string> = {
    "/": "Other parts need the permission read:uploads or read:system.",
    "/notifications": "Event Notifications",
  };
  const text = texts[address] ?? "You don't have access to this";
  await expect.element(page.getByText(text).first()).toBeVisible();
  await expectAccessibleEverywhere();
});

// The audit log is not polled.
test.each(ADDRESSES.filter((address) => address !== "/audit"))(
  "%s is accessible while its data is stale",
  async (address) => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
    const { answerAll, queryClient } = openFull(address);
    await expect.poll(() => isAnswered() && queryClient.isFetching() === 0).toBe(true);
    answerAll(() => new Response(null, { status: 400 }));
    await vi.advanceTimersByTimeAsync(BEYOND_POLLS_MS);
    await expect.element(page.getByText(/^Stale:/).first()).toBeVisible();
    await expectAccessibleEverywhere();
  },
);

test("the console is accessible while offline", async () => {
  const onLine = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  openFull("/");
  await expect.element(page.getByText(/^You are offline\./)).toBeVisible();
  await expect.element(page.getByText("System Status: Offline")).toBeVisible();
  await expectAccessibleEverywhere();
  onLine.mockRestore();
});

test("the sign-in callback page is accessible while loading", async () => {
  setSignedOut(false);
  sessionStorage.setItem("sign_in_state", "made-up");
  scriptService().answer(callback, () => new Promise(() => undefined));
  mountConsole("/auth/callback?code=made-up&state=made-up");
  await expect.element(page.getByRole("heading", { name: "Loading..." })).toBeVisible();
  await expectAccessibleEverywhere();
});

function isAnswered(): boolean {
  return (
    document.querySelector("h1") !== null && document.querySelector("main [data-skeleton]") === null
  );
}

async function expectAccessibleEverywhere(): Promise<void> {
  await expect.poll(isAnswered).toBe(true);
  await expectAccessibleAtAllWidths();
}

/** Runs all rules in the light theme at the widest and in the dark one at the narrowest. */
async function expectAccessibleAtAllWidths(): Promise<void> {
  for (const [widthPx, theme, rules] of [
    [1280, "light", ALL_RULES],
    [1280, "dark", COLOUR_RULES],
    [390, "dark", COLOUR_RULES],
    [320, "dark", ALL_RULES],
  ] as const)
    await expectAccessibleAt(widthPx, theme, rules);
}

async function expectAccessibleAt(
  widthPx: number,
  theme: "light" | "dark",
  rules: typeof ALL_RULES,
): Promise<void> {
  await page.viewport(widthPx, 800);
  document.documentElement.dataset["theme"] = theme;
  await expectAccessible(rules);
}
