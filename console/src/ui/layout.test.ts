import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const SOURCES = join(import.meta.dirname, "..");

it("has each class that a part asks for by its name, and no other", () => {
  const sources = globSync("**/*.{ts,tsx}", {
    cwd: SOURCES,
    exclude: (path) => path.endsWith(".test.ts"),
  }).map((path) => readFileSync(join(SOURCES, path), "utf8"));
  const asked = sources.flatMap((source) =>
    [...source.matchAll(/(?:className(?:=|: )|classNames\(\s*)"([^"]+)"/g)].flatMap((match) =>
      (match[1] ?? "").split(" "),
    ),
  );

  const rules = readFileSync(join(SOURCES, "ui/layout.css"), "utf8");
  const given = [...rules.matchAll(/^\.(\w+)/gm)].map((match) => match[1] ?? "");

  expect(asked.filter((name) => !given.includes(name))).toEqual([]);
  expect(
    given.filter((name) => !sources.some((source) => new RegExp(`[" ]${name}[" ]`).test(source))),
  ).toEqual([]);
});
