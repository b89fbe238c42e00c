import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Requirements of levels 1 and 2 in ASVS 5.0.0. */
const REQUIREMENTS = 253;

const ROW = /^\| (\d+\.\d+\.\d+) \| [12] \| .+ \| (.+) \|$/;
const STANDING = /^(?:Met by `|Not applicable: |Not met: )/;

/** A file of the repository: with a folder or an extension, and not a URL. */
const PATH = /`((?:[\w.-]+\/)*[\w.-]+\.\w+|Dockerfile)`/g;

const rows = readFileSync(join(ROOT, "docs/asvs.md"), "utf8")
  .split("\n")
  .map((line) => line.replace(/ {2,}/g, " "))
  .flatMap((line) => {
    const [, id, standing] = ROW.exec(line) ?? [];
    return id === undefined || standing === undefined ? [] : [{ id, standing }];
  });

test("docs/asvs.md answers each requirement once", () => {
  expect(new Set(rows.map(({ id }) => id)).size).toBe(REQUIREMENTS);
  expect(rows).toHaveLength(REQUIREMENTS);
  expect(rows.filter(({ standing }) => !STANDING.test(standing))).toEqual([]);
});

test("every file cited in docs/asvs.md exists", () => {
  const cited = rows.flatMap(({ standing }) =>
    [...standing.matchAll(PATH)].map(([, path]) => path),
  );
  expect(cited.length).toBeGreaterThan(100);
  expect(cited.filter((path) => !existsSync(join(ROOT, path ?? "")))).toEqual([]);
});
