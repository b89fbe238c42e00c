import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const CONSOLE = fileURLToPath(new URL("../console/src/", import.meta.url));

/** What frames whole screens shows around the design page itself, or is one of its states. */
const AROUND_SCREENS: readonly string[] = ["permission-gate.tsx", "toast-region.tsx"];

const COMPONENTS = readdirSync(`${CONSOLE}ui`).filter((name) => name.endsWith(".tsx"));

/** The components that a module shows, by itself or through others. */
function componentsOf(path: string, found: Set<string> = new Set()): ReadonlySet<string> {
  const imports = readFileSync(path, "utf8").matchAll(
    /from "(?:#console\/ui|\.)\/([a-z-]+\.tsx)"/g,
  );
  for (const [, name = ""] of imports) {
    if (!COMPONENTS.includes(name) || found.has(name)) continue;
    found.add(name);
    componentsOf(`${CONSOLE}ui/${name}`, found);
  }
  return found;
}

test("the design page shows every component", () => {
  const sections = readdirSync(`${CONSOLE}app/design`).filter((name) => name.endsWith(".tsx"));
  const shown = new Set(
    sections.flatMap((name) => [...componentsOf(`${CONSOLE}app/design/${name}`)]),
  );
  const missing = COMPONENTS.filter((name) => !shown.has(name) && !AROUND_SCREENS.includes(name));
  expect(missing).toEqual([]);
});
