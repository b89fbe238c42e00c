import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { listUploads, retryUpload } from "#contract/uploads.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

const upload = buildUpload({ status: "failed", filename: "evening.ts" });
const actions = page.getByRole("button", { name: "Actions for evening.ts" });

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  service.answer(listUploads, () => ({
    items: [upload],
    total: 1,
    page: 1,
    limit: 20,
    hasPrev: false,
    hasNext: false,
  }));
  signIn();
});

const widthPx = () =>
  page.getByRole("columnheader", { name: "File" }).element().getBoundingClientRect().width;

afterEach(() => {
  vi.useRealTimers();
});

test("an open debug panel leaves the columns their widths, also where some are hidden", async () => {
  mountConsole("/uploads?hide=size,started,duration");
  await expect.element(actions).toBeVisible();
  const before = widthPx();
  await page.getByRole("button", { name: "Debug information of evening.ts" }).click();
  await expect.element(page.getByText("Progress history")).toBeVisible();
  expect(widthPx()).toBe(before);
});

test("a retry that is not answered yet is shown, and can't be pressed again", async () => {
  const answered = Promise.withResolvers<void>();
  service.answer(retryUpload, async () => {
    await answered.promise;
    return buildUpload({ id: upload.id, version: 2, filename: "evening.ts" });
  });
  mountConsole("/uploads");
  await actions.click();
  await page.getByRole("menuitem", { name: "Retry" }).click();
  await expect.element(actions).toHaveAttribute("aria-busy", "true");
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByRole("menu")).not.toBeInTheDocument();
  answered.resolve();
  await expect.element(actions).not.toHaveAttribute("aria-busy");
  expect(service.calls.filter((call) => call.endsWith("/retry"))).toHaveLength(1);
});

test("a list is stale once it could not be polled, and never while its user pauses it", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "setInterval", "clearInterval"] });
  mountConsole("/uploads?live=paused");
  await expect.element(actions).toBeVisible();
  await vi.advanceTimersByTimeAsync(600_000);
  await expect.element(page.getByText(/^Stale:/)).not.toBeInTheDocument();
  service.answer(listUploads, () => new Promise(() => undefined));
  await page.getByRole("button", { name: "Resume Live Updates" }).click();
  await expect.element(page.getByText(/^Stale:/)).toBeVisible();
});
