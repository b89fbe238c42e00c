import { expect, test } from "vitest";
import { commands, page } from "vitest/browser";
import { openFull } from "#console/testing/answer-full.ts";

declare module "vitest/browser" {
  interface BrowserCommands {
    /** The elements whose style the browser computes again when one element is added to `main`. */
    restyledByOneElement(): Promise<number>;
  }
}

const STYLES: Record<string, string> = import.meta.glob("../**/*.css", {
  eager: true,
  query: "?raw",
  import: "default",
});

/** Each added element would be a candidate: only a name or a state of its own excludes it. */
const UNNAMED = /:has\((?![^)]*(?:[.[#]|:(?:checked|disabled|focus-visible|modal)\b))/;

test("no rule looks for an unnamed descendant", () => {
  const found = Object.entries(STYLES).flatMap(([path, css]) =>
    css.split("\n").flatMap((line) => (UNNAMED.test(line) ? [`${path}: ${line}`] : [])),
  );
  expect(found).toEqual([]);
});

const MOST_RESTYLED = 50;

test.each([
  "/",
  "/uploads",
  "/uploads/failed",
  "/channels",
  "/files",
  "/users",
  "/notifications",
  "/system",
  "/audit",
])("one element added to %s restyles few others", async (address) => {
  openFull(address);
  await expect.element(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect.poll(() => document.querySelector("main [data-skeleton]")).toBeNull();
  // Charts that are still being drawn change styles, too.
  await expect.poll(() => commands.restyledByOneElement()).toBeLessThan(MOST_RESTYLED);
});
