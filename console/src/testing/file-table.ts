import { page } from "vitest/browser";

/** A row of the File Browser's table, from 0. */
export const fileRow = (index: number) =>
  page
    .getByRole("table", { name: "Stored files" })
    .getByRole("row")
    .nth(index + 1);

export const openFileMenu = (index = 0) =>
  fileRow(index)
    .getByRole("button", { name: /^Actions for/ })
    .click();
