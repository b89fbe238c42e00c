import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { Three } from "./tabs.stories.tsx";

const tab = (name: string) => page.getByRole("tab", { name });

test("a click, arrows, Home and End select and wrap around, and only the selected tab is a tab stop", async () => {
  mount(<Three />);
  await userEvent.keyboard("{Tab}");
  await expect.element(tab("Overview")).toHaveFocus();
  for (const [keys, name] of [
    ["{ArrowLeft}", "Alerts"],
    ["{ArrowRight}", "Overview"],
    ["{ArrowRight}", "Trends"],
    ["{End}", "Alerts"],
    ["{Home}", "Overview"],
  ] as const) {
    await userEvent.keyboard(keys);
    await expect.element(tab(name)).toHaveFocus();
    await expect.element(tab(name)).toHaveAttribute("aria-selected", "true");
    await expect
      .element(page.getByRole("tabpanel", { name }))
      .toHaveTextContent(`The panel of ${name.toLowerCase()}`);
  }
  expect(tab("Trends").element().getAttribute("tabindex")).toBe("-1");
  await tab("Trends").click();
  await expect.element(page.getByRole("tabpanel", { name: "Trends" })).toBeVisible();
});
