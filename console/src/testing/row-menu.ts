import { page } from "vitest/browser";

/** The items of the open menu. */
export const menuItem = (name: string) =>
  page.getByRole("menuitem", { name: new RegExp(`^${name}`) });

/** Chooses from the menu of a row: the first one's, or that of the named one. */
export async function chooseFromRow(item: string, row = ""): Promise<void> {
  const menu = page.getByRole("button", { name: new RegExp(`^Actions for ${row}`) });
  await menu.first().click();
  await menuItem(item).click();
}
