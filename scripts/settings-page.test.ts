import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8");
}

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))].toSorted();
}

test("docs/settings.md lists exactly the existing settings", () => {
  const rows =
    read("docs/settings.md")
      .match(/^\|.*$/gm)
      ?.join("\n") ?? "";
  const firstColumn = rows.replaceAll(/^(\|[^|]*\|).*$/gm, "$1");
  expect(namesIn(firstColumn, /`([A-Z][A-Z0-9_]+)`/g)).toEqual(
    namesIn(read("service/settings.ts"), /^ {2}([A-Z][A-Z0-9_]+): z/gm),
  );
});
