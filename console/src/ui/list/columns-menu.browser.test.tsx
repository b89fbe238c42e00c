import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { WithColumns } from "./filter-bar.stories.tsx";

test("columns can be toggled one after another while the menu stays open", async () => {
  mount(<WithColumns />);
  await page.getByRole("button", { name: "Columns" }).click();
  const name = page.getByRole("menuitemcheckbox", { name: "Name" });
  const size = page.getByRole("menuitemcheckbox", { name: "Size" });
  await expect.element(name).toBeChecked();
  await userEvent.keyboard("{Enter}");
  await expect.element(name).not.toBeChecked();
  await userEvent.keyboard("{ArrowDown}{Enter}");
  await expect.element(size).not.toBeChecked();
  await size.click();
  await expect.element(size).toBeChecked();
  await expect.element(name).not.toBeChecked();
});
