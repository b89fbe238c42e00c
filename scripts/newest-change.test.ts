import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newestChangeMs } from "./newest-change.mjs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vodkeep-sources-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Parents must exist already, since creating an entry changes a folder's time. */
function changedAt(name: string, seconds: number): string {
  const path = join(folder, name);
  utimesSync(path, seconds, seconds);
  return path;
}

test("returns the time of the newest file or folder, ignoring hidden folders", () => {
  mkdirSync(join(folder, "inner"));
  writeFileSync(join(folder, "inner/main.ts"), "");
  mkdirSync(join(folder, ".wrangler/tmp"), { recursive: true });
  writeFileSync(join(folder, ".wrangler/tmp/bundle.js"), "");
  expect(newestChangeMs(changedAt("inner/main.ts", 1_000))).toBe(1_000_000);
  changedAt("inner", 900);
  expect(newestChangeMs(folder)).toBe(1_000_000);
  changedAt("inner", 1_100);
  expect(newestChangeMs(folder)).toBe(1_100_000);
});
