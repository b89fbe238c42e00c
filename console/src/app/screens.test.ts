import { expect, test } from "vitest";
import { isHighlighted, NAVIGATION } from "./screens.ts";

function highlightedAt(path: string): string[] {
  return NAVIGATION.filter((item) => isHighlighted(item.path, path)).map(({ label }) => label);
}

test("an item is highlighted at its path and, except for the root, at its subpaths", () => {
  expect(highlightedAt("/")).toEqual(["Dashboard"]);
  expect(highlightedAt("/uploads")).toEqual(["Upload Monitor"]);
  expect(highlightedAt("/uploads/failed")).toEqual(["Upload Monitor", "Failed Uploads"]);
  expect(highlightedAt("/channels/1")).toEqual(["Channels"]);
  expect(highlightedAt("/watch/1")).toEqual(["File Browser"]);
});
