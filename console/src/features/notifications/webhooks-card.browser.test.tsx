import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import {
  changeWebhook,
  listWebhooks,
  makeWebhook,
  testWebhook,
  webhookDeliveries,
  type Webhook,
} from "#contract/webhooks.ts";
import type { Parts } from "#contract/testing/build.ts";
import { answerNotifications } from "#console/testing/answer-notifications.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { chooseFromRow } from "#console/testing/row-menu.ts";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

const AT = "2026-11-01T10:00:00.000Z";
const HOOK: Parts<Webhook> = {
  id: "0".repeat(24),
  name: "Automation",
  format: "standard",
  host: "example.org",
  events: ["upload_failed"],
  isEnabled: true,
  lastAttempt: { at: AT, isDelivered: true, result: "The receiver accepted the event (HTTP 204)." },
};
const GONE: Parts<Webhook> = {
  ...HOOK,
  id: "1".repeat(24),
  name: "Old channel",
  format: "discord",
  isEnabled: false,
  offReason: "The receiver says that this address is gone (HTTP 410).",
  lastAttempt: { at: AT, isDelivered: false, result: "The receiver failed (HTTP 503)." },
};

const button = (name: string) => page.getByRole("button", { name, exact: true });
const dialog = page.getByRole("dialog");
let service: ReturnType<typeof scriptService>;
let sent: unknown[] = [];

beforeEach(() => {
  sent = [];
  service = scriptService();
  answerNotifications(service);
  service.answer(listWebhooks, () => ({ webhooks: [HOOK, GONE] }));
  signIn();
});

test("a webhook is added after its address was corrected, and its secret is shown once", async () => {
  service.answer(makeWebhook, async (request) => {
    sent.push(await request.json());
    const error = {
      code: "invalid_request",
      message: "No.",
      details: { url: "leads to 10.0.0.1, which is not public" },
    };
    return sent.length === 1
      ? Response.json({ error }, { status: 400 })
      : { webhook: HOOK, secret: "whsec_abc=" };
  });
  mountConsole("/notifications?view=webhooks");
  await button("Add Webhook").click();
  await userEvent.fill(dialog.getByLabelText("Name"), "Automation");
  await userEvent.fill(dialog.getByLabelText("Address"), "http://10.0.0.1/");
  await dialog.getByRole("checkbox", { name: "All events" }).click();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect
    .element(dialog.getByText("This leads to 10.0.0.1, which is not public."))
    .toBeVisible();
  await expectAccessible(ALL_RULES);
  await userEvent.fill(dialog.getByLabelText("Address"), "https://example.org/");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect.element(dialog.getByText("whsec_abc=")).toBeVisible();
  await expectAccessible(ALL_RULES);
  expect(sent[1]).toEqual({
    name: "Automation",
    format: "standard",
    url: "https://example.org/",
    events: ["upload_failed"],
  });
});

test("the list tells the last result, why one is off, and what the receiver answers to a test", async () => {
  service.answer(testWebhook, () => ({
    isDelivered: false,
    result: "The receiver failed (HTTP 500).",
    status: 500,
    answer: "out of order",
  }));
  service.answer(changeWebhook, async (request) => {
    sent.push(await request.json());
    return HOOK;
  });
  mountConsole("/notifications?view=webhooks");
  await expect.element(page.getByText(`Switched off: ${GONE.offReason}`)).toBeVisible();
  await expect.element(page.getByText("The receiver failed (HTTP 503).")).toBeVisible();
  await button("Test Automation").click();
  await expect.element(page.getByText("out of order")).toBeVisible();
  await expectAccessible(ALL_RULES);
  await page.getByRole("switch", { name: "Off" }).last().click();
  await expect
    .poll(() => sent)
    .toEqual([
      {
        name: "Old channel",
        events: ["upload_failed"],
        isEnabled: true,
        replaces: {
          name: "Old channel",
          events: ["upload_failed"],
          isEnabled: false,
        },
      },
    ]);
});

test("a webhook's deliveries say what failed", async () => {
  service.answer(webhookDeliveries, () => ({
    deliveries: [{ type: "upload_failed", status: "failed", attempts: 12 }],
    total: 1,
  }));
  mountConsole("/notifications?view=webhooks");
  await chooseFromRow("Deliveries", "Automation");
  await expect.element(dialog.getByText("12 attempts", { exact: false })).toBeVisible();
  await expectAccessible(ALL_RULES);
});

test("without write:system everything can be read and nothing changed", async () => {
  signIn(["read:system"]);
  mountConsole("/notifications?view=webhooks");
  await expect.element(page.getByText("Old channel")).toBeVisible();
  await expect.element(button("Add Webhook")).toHaveAttribute("aria-disabled", "true");
  await expect.element(button("Test Automation")).toHaveAttribute("aria-disabled", "true");
});
