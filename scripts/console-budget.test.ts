import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { circularScripts, excessesOf, weighRoutes, type BuiltChunk } from "./console-budget.ts";

function chunk(fileName: string, sizeBytes: number, some: Partial<BuiltChunk> = {}): BuiltChunk {
  // Random text, which hardly compresses.
  const code = randomBytes(Math.ceil(sizeBytes * 0.75)).toString("base64");
  const none = { imports: [], dynamicImports: [] };
  return { fileName, code, isEntry: false, facadeModuleId: null, ...none, ...some };
}

const route = (name: string) => ({ facadeModuleId: `/console/src/features/x/${name}-page.tsx` });

const chunks = [
  chunk("index.js", 50_000, { isEntry: true, imports: ["vendor.js"] }),
  chunk("vendor.js", 60_000),
  chunk("chart.js", 30_000),
  chunk("dashboard.js", 10_000, { ...route("dashboard"), imports: ["vendor.js", "chart.js"] }),
  chunk("costs.js", 5_000, { ...route("costs"), imports: ["chart.js"] }),
  chunk("files.js", 45_000, { ...route("files"), imports: ["icons.js"] }),
  chunk("icons.js", 1_000, { imports: ["index.js"] }),
];

test("a first visit counts each script of the route and the entry once", () => {
  const weights = new Map(weighRoutes(chunks).map((weight) => [weight.route, weight]));
  expect(weights.get("dashboard")).toMatchObject({ scripts: 4, furtherBytes: 0 });
  expect(weights.get("costs")?.scripts).toBe(4);
  expect(weights.get("dashboard")?.firstVisitBytes).toBeGreaterThan(100_000);
  expect(weights.get("costs")?.furtherBytes).toBeLessThan(6_000);
});

test("every exceeded limit is reported with its route", () => {
  const budget = {
    firstVisit: { gzipJavaScriptBytes: 117_000, requests: 8 },
    furtherRoute: { gzipJavaScriptBytes: 30_000 },
  };
  const excesses = excessesOf(weighRoutes(chunks), budget).map((text) =>
    text.replaceAll(/\d+ bytes/g, "N bytes"),
  );
  expect(excesses).toEqual([
    "dashboard: 9 requests on a first visit, at most 8",
    "costs: 9 requests on a first visit, at most 8",
    "files: N bytes on a first visit, at most 117000",
    "files: 9 requests on a first visit, at most 8",
    "files: N bytes after the start page, at most 30000",
  ]);
});

test("scripts that import each other in a circle are named", () => {
  expect(circularScripts(chunks)).toEqual([]);
  const circle = [chunk("a.js", 1, { imports: ["b.js"] }), chunk("b.js", 1, { imports: ["a.js"] })];
  expect(circularScripts([...chunks, ...circle])).toEqual(["a.js", "b.js"]);
});
