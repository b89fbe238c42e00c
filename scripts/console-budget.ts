import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { gzipSync, constants } from "node:zlib";
import type { Plugin } from "vite";
import * as z from "zod/mini";

/** Size limits for any console route that is visited first (docs/targets.md#console). */
const budgetSchema = z.object({
  firstVisit: z.object({ gzipJavaScriptBytes: z.number(), requests: z.number() }),
  furtherRoute: z.object({ gzipJavaScriptBytes: z.number() }),
});
export type ConsoleBudget = z.infer<typeof budgetSchema>;

/** The relevant part of a bundler's chunk. */
export type BuiltChunk = {
  readonly fileName: string;
  readonly code: string;
  readonly isEntry: boolean;
  readonly facadeModuleId: string | null;
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
};

export type RouteWeight = {
  readonly route: string;
  /** When the route is visited first. */
  readonly firstVisitBytes: number;
  readonly scripts: number;
  /** In addition to what the start page has loaded. */
  readonly furtherBytes: number;
};

/** Besides scripts, a first visit requests the page, boot.js, the styles, the font and the icon. */
const REQUESTS_BESIDE_SCRIPTS = 5;

/** The screen shown after sign-in; the others are reached from it. */
const START_ROUTE = "dashboard";

/** Fails the build when a route exceeds console/budget.json, or scripts import each other in a circle. */
export function consoleBudget(): Plugin {
  return {
    name: "console-budget",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
        const file = new URL("../console/budget.json", import.meta.url);
        const budget = budgetSchema.parse(JSON.parse(readFileSync(file, "utf8")));
        const excesses = excessesOf(weighRoutes(chunks), budget);
        if (excesses.length > 0) this.error(`Over console/budget.json:\n${excesses.join("\n")}`);
        const circular = circularScripts(chunks);
        if (circular.length > 0)
          this.error(`Import each other in a circle: ${circular.join(", ")}`);
      },
    },
  };
}

export function weighRoutes(chunks: readonly BuiltChunk[]): readonly RouteWeight[] {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const entry = chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName);
  const routes = routeFilesOf(chunks);
  const startFile = routes.get(START_ROUTE);
  if (startFile === undefined) throw new Error(`The build has no route ${START_ROUTE}`);
  const start = closureOf([...entry, startFile], byName);
  return [...routes].map(([route, fileName]) => {
    const first = closureOf([...entry, fileName], byName);
    return {
      route,
      firstVisitBytes: bytesOf(first, byName),
      scripts: first.size,
      furtherBytes: bytesOf(first.difference(start), byName),
    };
  });
}

export function excessesOf(
  weights: readonly RouteWeight[],
  { firstVisit, furtherRoute }: ConsoleBudget,
): readonly string[] {
  return weights.flatMap(({ route, firstVisitBytes, scripts, furtherBytes }) => {
    const requests = scripts + REQUESTS_BESIDE_SCRIPTS;
    const excesses: string[] = [];
    if (firstVisitBytes > firstVisit.gzipJavaScriptBytes)
      excesses.push(
        `${route}: ${firstVisitBytes} bytes on a first visit, at most ${firstVisit.gzipJavaScriptBytes}`,
      );
    if (requests > firstVisit.requests)
      excesses.push(
        `${route}: ${requests} requests on a first visit, at most ${firstVisit.requests}`,
      );
    if (furtherBytes > furtherRoute.gzipJavaScriptBytes)
      excesses.push(
        `${route}: ${furtherBytes} bytes after the start page, at most ${furtherRoute.gzipJavaScriptBytes}`,
      );
    return excesses;
  });
}

/**
 * Scripts that import themselves through others. Whichever of them is loaded first runs before what
 * it needs.
 */
export function circularScripts(chunks: readonly BuiltChunk[]): readonly string[] {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  return chunks
    .filter(({ fileName, imports }) => closureOf(imports, byName).has(fileName))
    .map(({ fileName }) => fileName);
}

/** The files of the screens' pages, by the screens' names. */
export function routeFilesOf(chunks: readonly BuiltChunk[]): ReadonlyMap<string, string> {
  return new Map(
    chunks.flatMap((chunk) => {
      const [, route] = /^(.+)-page\.tsx$/.exec(basename(chunk.facadeModuleId ?? "")) ?? [];
      return route === undefined ? [] : [[route, chunk.fileName] as const];
    }),
  );
}

/** These files and their static imports, which must load before they run. */
export function closureOf(
  fileNames: readonly string[],
  byName: ReadonlyMap<string, BuiltChunk>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...fileNames];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    waiting.push(...(byName.get(next)?.imports ?? []));
  }
  return found;
}

function bytesOf(fileNames: ReadonlySet<string>, byName: ReadonlyMap<string, BuiltChunk>): number {
  return [...fileNames]
    .map((name) => byName.get(name)?.code ?? "")
    .map((code) => gzipSync(code, { level: constants.Z_BEST_COMPRESSION }).length)
    .reduce((total, bytes) => total + bytes, 0);
}
