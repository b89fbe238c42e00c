import { expect, test } from "vitest";
import type { BuiltChunk } from "./console-budget.ts";
import { scriptsByPath } from "./route-scripts.ts";
import { SCREEN_PATHS } from "./screen-paths.ts";

function chunk(fileName: string, some: Partial<BuiltChunk> = {}): BuiltChunk {
  return { fileName, code: "", isEntry: false, facadeModuleId: null, imports: [], ...some };
}

const routeChunks = Object.keys(SCREEN_PATHS).map((route) =>
  chunk(`${route}.js`, {
    facadeModuleId: `/console/src/features/x/${route}-page.tsx`,
    imports: ["vendor.js", "lists.js"],
  }),
);
const chunks = [
  chunk("index.js", { isEntry: true, imports: ["vendor.js"] }),
  chunk("vendor.js"),
  chunk("lists.js"),
  ...routeChunks,
];

test("each address names its own scripts and what they need, but not what every page loads", () => {
  const scripts = scriptsByPath(chunks);
  expect(Object.keys(scripts)).toEqual(Object.values(SCREEN_PATHS));
  expect(scripts["/uploads/failed"]).toEqual(["/failed-uploads.js", "/lists.js"]);
});

test("a route without a script fails the build", () => {
  expect(() => scriptsByPath(chunks.slice(0, -1))).toThrow("The build has no route audit");
});
