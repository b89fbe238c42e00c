import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { WithError, WithHint } from "./text-field.stories.tsx";

test("the hint and the error describe the field", async () => {
  mount(
    <>
      <WithHint />
      <WithError />
    </>,
  );
  const hinted = page.getByRole("textbox", { name: "Name" });
  await expect.element(hinted).toHaveAccessibleDescription("As others see it");
  await expect.element(hinted).not.toHaveAttribute("aria-invalid");
  const refused = page.getByRole("textbox", { name: "E-mail address" });
  await expect.element(refused).toHaveAccessibleDescription("This is no e-mail address");
  await expect.element(refused).toBeInvalid();
  await expect.element(page.getByRole("alert")).toHaveTextContent("This is no e-mail address");
});
