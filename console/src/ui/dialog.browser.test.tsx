import { useState } from "react";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { allowMessage } from "#console/testing/console-messages.ts";
import { mount } from "#console/testing/mount.tsx";
import { pressAt } from "#console/testing/press-at.ts";
import { Dialog, lazyDialog } from "./dialog.tsx";
import { Normal, Side } from "./dialog.stories.tsx";

const dialog = page.getByRole("dialog");

test("takes focus, traps Tab, and returns focus to the opener on Escape", async () => {
  mount(<Normal />);
  const opener = page.getByRole("button", { name: "Open dialog" });
  await opener.click();
  await expect.element(dialog).toHaveAccessibleName("A dialog");
  await expect.element(page.getByRole("heading", { name: "A dialog" })).toHaveFocus();
  await userEvent.keyboard("{Tab}");
  await expect.element(page.getByRole("button", { name: "Close" })).toHaveFocus();
  await userEvent.keyboard("{Tab}");
  await expect.element(page.getByRole("button", { name: "Done" })).toHaveFocus();
  await userEvent.keyboard("{Tab}");
  await expect.element(opener).not.toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(opener).toHaveFocus();
});

test("a click outside keeps it open; the Close button closes it", async () => {
  mount(<Side />);
  const opener = page.getByRole("button", { name: "Open side panel" });
  await opener.click();
  await expect.element(dialog).toBeVisible();
  await pressAt(20, 700);
  await expect.element(dialog).toBeVisible();
  await page.getByRole("button", { name: "Close" }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(opener).toHaveFocus();
});

test("a dialog that is not dismissible stays open", async () => {
  mount(
    <Dialog title="Deleting" dismissible={false} onClose={() => expect.unreachable()}>
      Wait for it.
    </Dialog>,
  );
  await expect.element(page.getByRole("button", { name: "Close" })).toBeDisabled();
  await userEvent.keyboard("{Escape}{Escape}");
  await expect.element(dialog).toBeVisible();
});

function Deletion() {
  const [step, setStep] = useState<"row" | "asked" | "gone">("row");
  return (
    <>
      <h1 tabIndex={-1} data-page-title="">
        Files
      </h1>
      {step !== "gone" && <button onClick={() => setStep("asked")}>Delete</button>}
      {step === "asked" && (
        <Dialog title="Sure?" onClose={() => setStep("gone")}>
          It can't be undone.
        </Dialog>
      )}
    </>
  );
}

test("focus moves to the screen's title if the opener is gone", async () => {
  mount(<Deletion />);
  await page.getByRole("button", { name: "Delete" }).click();
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByRole("heading", { name: "Files" })).toHaveFocus();
});

function Details({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Details" onClose={onClose}>
      Some content
    </Dialog>
  );
}

function Screen({ whenAsked }: { readonly whenAsked: () => Promise<void> }) {
  const [open, setOpen] = useState(true);
  const [Late] = useState(() =>
    lazyDialog<{ readonly onClose: () => void }>(async () => {
      await whenAsked();
      return Details;
    }),
  );
  return (
    <>
      <h1>Files</h1>
      {open && <Late onClose={() => setOpen(false)} />}
    </>
  );
}

const gone = new TypeError("Failed to fetch dynamically imported module");

test("a dialog whose script is missing shows an error, can be closed and leaves the screen intact", async () => {
  allowMessage(/^console\.error: .*MissingScript/s);
  mount(<Screen whenAsked={() => Promise.reject(gone)} />);
  await expect.element(dialog.getByText("This dialog could not be shown")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(page.getByRole("heading", { name: "Files" })).toBeVisible();
});

test("a script that fails to load once is retried", async () => {
  let isFirst = true;
  async function failOnce() {
    if (!isFirst) return;
    isFirst = false;
    throw gone;
  }
  mount(<Screen whenAsked={failOnce} />);
  await expect.element(dialog).toHaveAccessibleName("Details");
});

test("Retry loads a dialog whose script is available again, without reloading the page", async () => {
  allowMessage(/^console\.error: .*MissingScript/s);
  let isGone = true;
  mount(<Screen whenAsked={() => (isGone ? Promise.reject(gone) : Promise.resolve())} />);
  const retry = dialog.getByRole("button", { name: "Retry" });
  await expect.element(retry).toBeVisible();
  isGone = false;
  await retry.click();
  await expect.element(dialog).toHaveAccessibleName("Details");
});
