import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { Two } from "./select.stories.tsx";

test("an option can be chosen by keyboard and from the list", async () => {
  mount(<Two />);
  const select = page.getByRole("combobox", { name: "Choice" });
  await expect.element(select).toHaveDisplayValue("First choice");
  await userEvent.keyboard("{Tab}{ArrowDown}");
  await expect.element(select).toHaveDisplayValue("Second choice");
  await userEvent.selectOptions(select, "First choice");
  await expect.element(select).toHaveDisplayValue("First choice");
});
