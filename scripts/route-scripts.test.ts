import { expect, test } from "vitest";
import type { BuiltChunk } from "./console-budget.ts";
import { scriptsByPath } from "./route-scripts.ts";
import { SCREEN_PATHS } from "./screen-paths.ts";

function chunk(fileName: string, some: Partial<BuiltChunk> = {}): BuiltChunk {
  return {
    fileName,
    code: "",
    isEntry: false,
    facadeModuleId: null,
    imports: [],
    dynamicImports: [],
    ...some,
  };
}

const routeChunks = Object.keys(SCREEN_PATHS).map((route) =>
  chunk(`${route}.js`, {
    facadeModuleId: `/console/src/features/x/${route}-page.tsx`,
    imports: ["vendor.js", "lists.js"],
    dynamicImports: route === "watch" ? ["player.js", "dialog.js"] : [],
  }),
);
const chunks = [
  chunk("index.js", { isEntry: true, imports: ["vendor.js"] }),
  chunk("vendor.js"),
  chunk("lists.js"),
  chunk("player.js", { facadeModuleId: "/node_modules/player/index.js" }),
  chunk("dialog.js", { facadeModuleId: "/console/src/mp4/dialog.tsx" }),
  ...routeChunks,
];

test("each path lists its own scripts and their imports, but not those that every page loads", () => {
  const scripts = scriptsByPath(chunks);
  expect(Object.keys(scripts)).toEqual(Object.values(SCREEN_PATHS));
  expect(scripts["/uploads/failed"]).toEqual(["/failed-uploads.js", "/lists.js"]);
});

test("a route also names a library that it imports on demand, but not its other parts", () => {
  expect(scriptsByPath(chunks)["/watch/$uploadId"]).toEqual([
    "/watch.js",
    "/lists.js",
    "/player.js",
  ]);
});

test("a route without a script fails the build", () => {
  expect(() => scriptsByPath(chunks.slice(0, -1))).toThrow("The build has no route audit");
});
