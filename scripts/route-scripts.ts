import process from "node:process";
import type { Plugin } from "vite";
import { closureOf, routeFilesOf, type BuiltChunk } from "./console-budget.ts";
import { FIRST_CALLS } from "./first-calls.ts";
import { SCREEN_PATHS, SCREENS } from "./screen-paths.ts";

/** `boot.js` knows no other service than that of the page. */
const isOwnService = process.env["VITE_API_URL"] === undefined;

/**
 * Tells the page which extra scripts each route needs, with the libraries that it imports on
 * demand. `boot.js` requests them at once: the router only knows them after the common scripts have
 * loaded and run.
 */
export function routeScripts(): Plugin {
  return {
    name: "route-scripts",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
        const content = JSON.stringify(openingsByPath(chunks));
        return [
          { tag: "meta", attrs: { name: "route-scripts", content }, injectTo: "head-prepend" },
        ];
      },
    },
  };
}

/** What `boot.js` requests for each path, and whether the service would answer. */
function openingsByPath(chunks: readonly BuiltChunk[]) {
  const scripts = scriptsByPath(chunks);
  return Object.fromEntries(
    Object.entries(SCREENS).map(([name, { path, permission }]) => [
      path,
      { scripts: scripts[path], permission, ...(isOwnService && { calls: FIRST_CALLS[name] }) },
    ]),
  );
}

export function scriptsByPath(
  chunks: readonly BuiltChunk[],
): Readonly<Record<string, readonly string[]>> {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const entries = chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName);
  const always = closureOf(entries, byName);
  const files = routeFilesOf(chunks);
  return Object.fromEntries(
    Object.entries(SCREEN_PATHS).map(([route, path]) => {
      const file = files.get(route);
      if (file === undefined) throw new Error(`The build has no route ${route}`);
      const own = [...closureOf([file], byName).difference(always)];
      const libraries = own.flatMap((fileName) =>
        (byName.get(fileName)?.dynamicImports ?? []).filter((name) =>
          byName.get(name)?.facadeModuleId?.includes("/node_modules/"),
        ),
      );
      return [path, [...own, ...libraries].map((fileName) => `/${fileName}`)];
    }),
  );
}
