import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { SearchField } from "./search-field.tsx";
import { Filled } from "./search-field.stories.tsx";

const field = page.getByRole("searchbox", { name: "Search something..." });
const searched = (text: string) => page.getByText(`Searched: ${text}`, { exact: true });

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

test("typing a text triggers a single search", async () => {
  const onChange = vi.fn<(text: string) => void>();
  // Longer than typing takes on a busy machine: the faked clock also runs while a key is sent.
  const settleMs = 60_000;
  const properties = { placeholder: "Search something...", value: "", onChange, settleMs };
  mount(<SearchField {...properties} />);
  await userEvent.type(field, "above");
  await expect.element(field).toHaveValue("above");
  await vi.advanceTimersByTimeAsync(settleMs);
  await expect.poll(() => onChange.mock.calls).toEqual([["above"]]);
});

test("Escape and the button clear immediately and keep focus in the field", async () => {
  mount(<Filled />);
  await field.click();
  await userEvent.keyboard("{Escape}");
  await expect.element(searched("nothing")).toBeVisible();
  await expect.element(field).toHaveFocus();
  await expect.element(page.getByRole("button", { name: "Clear search" })).not.toBeInTheDocument();
  await userEvent.fill(field, "rain");
  await page.getByRole("button", { name: "Clear search" }).click();
  await vi.advanceTimersByTimeAsync(1_000);
  await expect.element(searched("nothing")).toBeVisible();
  await expect.element(field).toHaveFocus();
});
