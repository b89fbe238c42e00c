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

/** Any element may have such a position, so each added one would be a candidate. */
const UNNAMED = /:has\((?![^)]*(?:[.[#]|\b[a-z]+:modal))[^)]*:(?:nth|first|last|only|empty|not)/;

test("no rule looks for an unnamed descendant", () => {
  const found = Object.entries(STYLES).flatMap(([path, css]) =>
    css.split("\n").flatMap((line) => (UNNAMED.test(line) ? [`${path}: ${line}`] : [])),
  );
  expect(found).toEqual([]);
});

const MOST_RESTYLED = 50;

test.each(["/", "/uploads", "/uploads/failed", "/files", "/users", "/notifications", "/system"])(
  "one element added to %s restyles few others",
  async (address) => {
    openFull(address);
    await expect.element(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect.poll(() => document.querySelector("main [data-skeleton]")).toBeNull();
    // Charts that are still being drawn change styles, too.
    await expect.poll(() => commands.restyledByOneElement()).toBeLessThan(MOST_RESTYLED);
  },
);
