import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

const dialog = page.getByRole("dialog");
const confirm = page.getByRole("button", { name: "Delete it" });
const cancel = page.getByRole("button", { name: "Cancel" });

function mountQuestion(onConfirm: () => Promise<void>) {
  const onClose = vi.fn<() => void>();
  mount(
    <ConfirmDialog
      title="Delete sample"
      question="Are you sure?"
      confirmLabel="Delete it"
      onConfirm={onConfirm}
      onClose={onClose}
    />,
  );
  return onClose;
}

test("a stray Enter cancels instead of confirming", async () => {
  const onConfirm = vi.fn<() => Promise<void>>();
  const onClose = mountQuestion(onConfirm);
  await expect.element(dialog).toHaveAccessibleDescription("Are you sure?");
  await expect.element(cancel).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  expect(onClose).toHaveBeenCalledTimes(1);
  expect(onConfirm).not.toHaveBeenCalled();
});

test("while the action is pending, nothing can be pressed again or dismissed", async () => {
  const answer = Promise.withResolvers<void>();
  const onConfirm = vi.fn<() => Promise<void>>(() => answer.promise);
  const onClose = mountQuestion(onConfirm);
  await confirm.click();
  await expect.element(confirm).toHaveAttribute("aria-busy", "true");
  await userEvent.keyboard("{Enter}{Escape}{Escape}");
  await expect.element(cancel).toBeDisabled();
  expect(onConfirm).toHaveBeenCalledTimes(1);
  expect(onClose).not.toHaveBeenCalled();
  answer.resolve();
  await expect.poll(() => onClose.mock.calls).toHaveLength(1);
});

test("a failure is shown in the dialog, and the action can be retried", async () => {
  const onConfirm = vi
    .fn<() => Promise<void>>()
    .mockRejectedValueOnce(new Error("refused"))
    .mockResolvedValueOnce();
  const onClose = mountQuestion(onConfirm);
  await confirm.click();
  await expect.element(page.getByRole("alert").getByText(/^Something went wrong/)).toBeVisible();
  await confirm.click();
  await expect.poll(() => onClose.mock.calls).toHaveLength(1);
});
