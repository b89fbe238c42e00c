import { readdirSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const CONSOLE = fileURLToPath(new URL("../console/src/", import.meta.url));

/** Components that surround whole screens, or only load another. */
const WITHOUT_STORY: readonly string[] = [
  "chart/lazy-chart.tsx",
  "leave-guard.tsx",
  "light-dialog.tsx",
  "page.tsx",
  "toast-region.tsx",
];

const UI = `${CONSOLE}ui/`;
const COMPONENTS = readdirSync(UI, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".tsx"),
);

/** The components that a module uses, directly or indirectly. */
function componentsOf(path: string, found: Set<string> = new Set()): ReadonlySet<string> {
  const imports = readFileSync(path, "utf8").matchAll(
    /from "(#console\/ui\/|\.\.?\/)([a-z/-]+\.tsx)"/g,
  );
  for (const [, base = "", rest = ""] of imports) {
    const imported = base.startsWith(".") ? resolve(dirname(path), base, rest) : `${UI}${rest}`;
    const name = relative(UI, imported);
    if (!COMPONENTS.includes(name) || found.has(name)) continue;
    found.add(name);
    componentsOf(imported, found);
  }
  return found;
}

test("every component has a story", () => {
  const stories = COMPONENTS.filter((name) => name.endsWith(".stories.tsx"));
  const shown = new Set(stories.flatMap((name) => [...componentsOf(`${UI}${name}`)]));
  const missing = COMPONENTS.filter(
    (name) =>
      !/\.(?:stories|test)\.tsx$/.test(name) && !shown.has(name) && !WITHOUT_STORY.includes(name),
  );
  expect(missing).toEqual([]);
});
