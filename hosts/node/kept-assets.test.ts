import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepAssets } from "./kept-assets.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

const HOUR_MS = 3_600_000;

test("the files of a build are kept for a day after the next build, regardless of their age", async () => {
  const folder = await makeTemporaryFolder();
  const built = join(folder.path, "built");
  const kept = join(folder.path, "kept");
  let nowMs = Date.UTC(2026, 0, 1);
  function startWith(...names: string[]): readonly string[] {
    rmSync(built, { recursive: true, force: true });
    mkdirSync(built);
    for (const name of names) writeFileSync(join(built, name), name);
    keepAssets(built, kept, nowMs);
    return readdirSync(kept).toSorted();
  }
  expect(startWith("dialog-a.js", "vendor.js")).toEqual(["dialog-a.js", "vendor.js"]);
  nowMs += 60 * 24 * HOUR_MS;
  expect(startWith("dialog-b.js", "vendor.js")).toEqual([
    "dialog-a.js",
    "dialog-b.js",
    "vendor.js",
  ]);
  nowMs += 23 * HOUR_MS;
  expect(startWith("dialog-b.js", "vendor.js")).toContain("dialog-a.js");
  nowMs += 2 * HOUR_MS;
  expect(startWith("dialog-b.js", "vendor.js")).toEqual(["dialog-b.js", "vendor.js"]);
  await folder.remove();
});
