import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { EVENT_TYPES } from "#contract/notification-events.ts";
import {
  notificationConfig,
  setPreferences,
  testEvent,
  testTelegram,
} from "#contract/notifications.ts";
import { colourName } from "#contract/testing/colour-name.ts";
import { answerNotificationsFull } from "#console/testing/answer-notifications-full.ts";
import { answerNotifications, CONFIG } from "#console/testing/answer-notifications.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";

const event = page.getByRole("heading", { name: "Upload failed" });
const button = (name: string) => page.getByRole("button", { name, exact: true });

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  answerNotifications(service);
  signIn();
});

test("shows a note while loading, and an email field of type email", async () => {
  const answered = Promise.withResolvers<void>();
  service.answer(notificationConfig, async () => {
    await answered.promise;
    return CONFIG;
  });
  mountConsole("/notifications");
  const note = page.getByText(/Preferences are loading. Authentication is needed/);
  await expect.element(note).toBeVisible();
  answered.resolve();
  await expect.element(event).toBeVisible();
  await expect.element(page.getByLabelText("Email Address")).toHaveAttribute("type", "email");
  await expect
    .element(page.getByText("Email notifications need mail to be configured on the server."))
    .toBeVisible();
  await expect.element(page.getByLabelText("Telegram Username (optional)")).toBeVisible();
});

test("the account panel shows the environment, the bot and its message prefix", async () => {
  mountConsole("/notifications");
  await expect
    .element(page.getByRole("heading", { name: "Admin Account Configuration" }))
    .toBeVisible();
  for (const text of ["preview", "@vodkeep_bot", "Active"])
    await expect.element(page.getByText(text, { exact: true }).last()).toBeVisible();
  await expect.element(page.getByText("[PREVIEW] is prepended to all bot messages.")).toBeVisible();
});

test("each event has a test button, a switch per available channel, and its severity in a colour", async () => {
  answerNotificationsFull(service);
  mountConsole("/notifications");
  const events = page.getByRole("listitem").filter({ has: page.getByRole("switch") });
  await expect.poll(() => events.length).toBe(EVENT_TYPES.length);
  for (const [severity, colour] of [
    ["Critical", "red"],
    ["High", "orange"],
    ["Medium", "yellow"],
    ["Low", "blue"],
  ] as const) {
    const one = events.filter({ hasText: severity }).first();
    const badge = one.getByText(severity, { exact: true }).element();
    expect(colourName(getComputedStyle(badge).color)).toBe(colour);
    await expect.element(one.getByRole("button", { name: /^Test / })).toBeVisible();
    for (const name of ["Browser", "Telegram"])
      await expect.element(one.getByRole("switch", { name })).toBeVisible();
  }
});

test("shows what to do when loading fails, and loads again on Retry", async () => {
  service.answer(notificationConfig, () => new Response(null, { status: 404 }));
  mountConsole("/notifications");
  const words =
    "Failed to load notification configuration. Please refresh the page or check your authentication.";
  await expect.element(page.getByText(words)).toBeVisible();
  service.answer(notificationConfig, () => CONFIG);
  await button("Retry").click();
  await expect.element(event).toBeVisible();
});

test("shows fixed messages for failures without a message from the server", async () => {
  for (const call of [setPreferences, testTelegram, testEvent])
    service.answer(call, () => Promise.reject(new TypeError("Failed to fetch")));
  mountConsole("/notifications");
  await userEvent.fill(page.getByLabelText("Telegram User ID"), "1234");
  for (const [name, words] of [
    ["Save Changes", "Failed to update preferences"],
    ["Test Telegram", "Failed to send test message"],
    ["Test Upload failed", "Failed to send test notification"],
  ] as const) {
    await button(name).click();
    await expect.poll(toastTexts).toContain(words);
  }
});

test("the error of a field stands until the field is changed or the edits are discarded", async () => {
  const details = { "preferences.telegramUserId": "is wrong", "preferences.email": "is wrong" };
  const error = { code: "invalid_request", message: "Not valid.", details };
  service.answer(setPreferences, () => Response.json({ error }, { status: 400 }));
  mountConsole("/notifications");
  await userEvent.fill(page.getByLabelText("Telegram User ID"), "1234");
  await userEvent.fill(page.getByLabelText("Email Address"), "avery@");
  await button("Save Changes").click();
  await expect.element(page.getByText("This is wrong.").nth(1)).toBeVisible();
  await userEvent.fill(page.getByLabelText("Email Address"), "avery@example.test");
  await expect.element(page.getByLabelText("Email Address")).toBeValid();
  await expect.element(page.getByLabelText("Telegram User ID")).toBeInvalid();
  await expect.element(page.getByLabelText("Telegram User ID")).toHaveValue("1234");
  await button("Discard").click();
  await expect.element(page.getByLabelText("Telegram User ID")).toHaveValue("");
  await expect.element(page.getByLabelText("Telegram User ID")).toBeValid();
});
