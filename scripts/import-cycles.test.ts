import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { ROOT } from "./tools.mjs";

/** Tests and what they share may import anything. */
const FILES = globSync(
  "{contract,service,hosts,program,console/src,stand-ins,e2e,bench}/**/*.{ts,tsx}",
  {
    cwd: ROOT,
  },
).filter((path) => !/node_modules|\.test\.tsx?$|\/testing\//.test(path));

const packageSchema = z.object({ imports: z.record(z.string(), z.unknown()) });
/** `#service/*` and so on, with their folders. */
const PREFIXES = Object.entries(
  packageSchema.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))).imports,
).flatMap(([from, to]) =>
  typeof to === "string" ? [[from.replace("*", ""), to.replace(/^\.\/|\*$/g, "")] as const] : [],
);

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The files of the repository that `path` imports, types included. */
function importsOf(path: string): string[] {
  const text = readFileSync(join(ROOT, path), "utf8");
  const requests = [...text.matchAll(/(?:\bfrom|\bimport|\bimport\() ?"([^"]+)"/g)];
  return requests.flatMap(([, request = ""]) => {
    if (request.startsWith(".")) return [join(dirname(path), request)];
    const prefix = PREFIXES.find(([from]) => request.startsWith(from));
    return prefix === undefined ? [] : [request.replace(...prefix)];
  });
}

/**
 * The part of the tree whose imports must not form cycles: a folder below a room (`service/audit`),
 * a feature of the console, or a file that is directly in its room.
 */
function folderOf(path: string): string {
  const parts = path.split("/");
  return parts
    .slice(0, path.startsWith("console/src/features/") ? 4 : parts[0] === "console" ? 3 : 2)
    .join("/");
}

function graphOfFolders(): Graph {
  const graph = new Map<string, Set<string>>();
  for (const path of FILES) {
    const folder = folderOf(path);
    const targets = graph.get(folder) ?? new Set();
    graph.set(folder, targets);
    for (const target of importsOf(path).map(folderOf)) if (target !== folder) targets.add(target);
  }
  return graph;
}

function reaches(graph: Graph, from: string, to: string, seen = new Set<string>()): boolean {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return [...(graph.get(from) ?? [])].some((next) => reaches(graph, next, to, seen));
}

/** The imports that are part of a cycle. */
function cyclesIn(graph: Graph): string[] {
  return [...graph].flatMap(([node, targets]) =>
    [...targets]
      .filter((target) => reaches(graph, target, node))
      .map((target) => `${node} -> ${target}`),
  );
}

test("finds the imports of cycles, without those that only lead to or from one", () => {
  const graph = new Map(
    Object.entries({
      a: ["b"],
      b: ["c"],
      c: ["a", "d"],
      d: ["g"],
      e: ["a"],
      g: ["h"],
      h: ["g"],
    }).map(([node, targets]) => [node, new Set(targets)] as const),
  );
  expect(cyclesIn(graph)).toEqual(["a -> b", "b -> c", "c -> a", "g -> h", "h -> g"]);
});

test("no folders import each other in a cycle", () => {
  const graph = graphOfFolders();
  expect(graph.get("service/audit")).toContain("service/http");
  expect(cyclesIn(graph)).toEqual([]);
});
