import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { bulkRetry, deleteUpload, retryUpload } from "#contract/uploads.ts";
import { answerUploads } from "#console/testing/answer-uploads.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { refusal, scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";

const names = ["exhausted", "first", "second", "third"].map((name) => `${name}.ts`);
const uploads = names.map((filename, index) =>
  buildUpload({
    filename,
    status: "failed",
    failureClass: "try_later",
    retryCount: index === 0 ? 3 : 2,
  }),
);

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  answerUploads(service, uploads);
  signIn();
});

const button = (name: RegExp | string) => page.getByRole("button", { name });
const box = (name: string) => page.getByRole("checkbox", { name });
const retrySelected = button(/^Retry Selected/);

test("an upload without retries left can't be retried, alone or in bulk", async () => {
  mountConsole("/uploads/failed");
  await expect.element(page.getByText("Max retries reached")).toBeVisible();
  await expect.element(button("Retry exhausted.ts")).not.toBeInTheDocument();
  await expect.element(button("Retry first.ts")).toBeVisible();
  await expect.element(retrySelected).toHaveAttribute("aria-disabled", "true");
  await expect.element(button("Delete Selected")).toHaveAttribute("aria-disabled", "true");
  await box("Select all on this page").click();
  await expect
    .element(page.getByText("4 selected, 1 can't be retried, only deleted"))
    .toBeVisible();
  await expect.element(retrySelected).toHaveTextContent("Retry Selected (3)");
  await box("Select all on this page").click();
  await box("Select first.ts").click();
  await expect.element(retrySelected).toHaveTextContent("Retry Selected (1)");
  await page.getByRole("link", { name: "first.ts" }).click();
  const drawer = page.getByRole("dialog", { name: "first.ts" });
  await expect.element(drawer.getByRole("button", { name: "Retry" })).toBeVisible();
});

test("a cause of failures is a filter, and offers no retry if it can't help", async () => {
  answerUploads(service, [buildUpload({ status: "failed", failureClass: "gone_at_source" })]);
  mountConsole("/uploads/failed");
  const cause = page.getByRole("link", { name: "Gone at the source" });
  await cause.click();
  await expect.element(cause).toHaveAttribute("aria-current", "page");
  await expect
    .poll(() => service.calls)
    .toContainEqual(expect.stringContaining("failureClass=gone_at_source"));
  await expect.element(button(/^Retry anyway /)).toBeEnabled();
  await expect.element(button("Retry 1: Gone at the source")).not.toBeInTheDocument();
  await expectAccessible(ALL_RULES);
});

test("all failures of a cause are retried at once, apart from those without retries", async () => {
  const ids: unknown[] = [];
  service.answer(bulkRetry, async (request) => {
    ids.push(await request.json());
    return { success: 3, failed: 0, results: uploads.slice(1).map(({ id }) => ({ id, ok: true })) };
  });
  mountConsole("/uploads/failed");
  await button("Retry 3: Source was unavailable").click();
  await expect.poll(toastTexts).toContain("Retry initiated for 3 uploads");
  expect(ids).toEqual([{ ids: uploads.slice(1).map(({ id }) => id) }]);
});

test("on a phone, a button selects all rows of the page", async () => {
  await page.viewport(390, 844);
  mountConsole("/uploads/failed");
  await button("Select this page").click();
  await expect.element(retrySelected).toHaveTextContent("Retry Selected (3)");
  await button("Clear selection").click();
  await expect.element(page.getByText("Nothing selected")).toHaveFocus();
});

test("a bulk retry reports how many were initiated, how many failed, or that the request failed", async () => {
  const retried = uploads.slice(1);
  service.answer(bulkRetry, () => ({
    success: 2,
    failed: 1,
    results: retried.map(({ id }, index) =>
      index === 0 ? { id, ok: false, error: "It is being deleted." } : { id, ok: true },
    ),
  }));
  mountConsole("/uploads/failed");
  for (const { filename } of retried) await box(`Select ${filename}`).click();
  await retrySelected.click();
  await expect.poll(toastTexts).toContain("Retry initiated for 2 uploads");
  await expect.poll(toastTexts).toContain("Failed to retry 1 upload");
  await expect.element(page.getByText(/It is being deleted\./)).toBeVisible();
  await expect.element(page.getByText(/^1 selected/)).toBeVisible();

  service.answer(bulkRetry, () => new Response(null, { status: 404 }));
  await retrySelected.click();
  await expect.poll(toastTexts).toContain("Failed to initiate bulk retry");
});

test("after a bulk retry, uploads that have left the list are deselected, and no others", async () => {
  const answered = Promise.withResolvers<void>();
  const results = uploads.slice(1, 3).map(({ id }) => ({ id, ok: false, error: "Refused." }));
  service.answer(bulkRetry, async () => {
    await answered.promise;
    return { success: 0, failed: 2, results };
  });
  mountConsole("/uploads/failed");
  await box("Select first.ts").click();
  await box("Select second.ts").click();
  await retrySelected.click();
  await box("Select third.ts").click();
  answerUploads(service, uploads.slice(2));
  answered.resolve();
  await expect.poll(toastTexts).toContain("Failed to retry 2 uploads");
  await expect.element(page.getByText(/^2 selected/)).toBeVisible();
  await expect.element(box("Select second.ts")).toBeChecked();
  await expect.element(box("Select third.ts")).toBeChecked();
});

test("uploads that were deleted elsewhere count as deleted", async () => {
  service.answer(deleteUpload, () => refusal("No such upload.", "not_found", 404));
  mountConsole("/uploads/failed");
  await box("Select first.ts").click();
  await button("Delete Selected").click();
  await button("Delete uploads").click();
  await expect.poll(toastTexts).toContain("Deleted 1 upload");
  await expect.element(page.getByText("Nothing selected")).toBeVisible();
  await expect.element(button("Delete Selected")).toHaveFocus();
});

test("only the partial files of several uploads need a typed number to be deleted", async () => {
  const stored = { fileKey: "vods/1.ts", fileStatus: "partial" } as const;
  answerUploads(
    service,
    uploads.map((upload) => buildUpload({ ...upload, ...stored })),
  );
  service.answer(deleteUpload, () => ({ id: uploads[0]?.id ?? "" }));
  mountConsole("/uploads/failed");
  await box("Select first.ts").click();
  await box("Select second.ts").click();
  await button("Delete Selected").click();
  const number = page.getByLabelText("Type 2 to confirm");
  await expect.element(button("Delete uploads")).not.toHaveAttribute("aria-disabled");
  await expect.element(number).not.toBeInTheDocument();
  await box("Also delete their partial files").click();
  await expect.element(button("Delete uploads")).toHaveAttribute("aria-disabled", "true");
  await number.fill("2");
  await button("Delete uploads").click();
  await expect.poll(toastTexts).toContain("Deleted 2 uploads");
  expect(service.calls.filter((call) => call.endsWith("&file=delete"))).toHaveLength(2);
});

test("retrying an upload from its row deselects it", async () => {
  service.answer(retryUpload, () => buildUpload({ ...uploads[1], status: "pending", version: 2 }));
  mountConsole("/uploads/failed");
  await box("Select first.ts").click();
  await expect.element(page.getByText(/^1 selected/)).toBeVisible();
  await button("Retry first.ts").click();
  await expect.poll(toastTexts).toContain("Upload retry initiated");
  await expect.element(page.getByText("Nothing selected")).toBeVisible();
});

test("deletes only uploads that are still failed, and shows the conflict otherwise", async () => {
  const message = "This upload has changed since it was chosen: it is processing now.";
  service.answer(deleteUpload, () => refusal(message, "conflict", 409));
  mountConsole("/uploads/failed");
  await button("Actions for first.ts").click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Delete upload" }).click();
  await expect
    .element(dialog.getByRole("alert"))
    .toHaveTextContent(`Failed to delete upload. ${message}`);
  expect(service.calls).toContainEqual(expect.stringMatching(/^DELETE .*\?ifStatus=failed$/));
});
