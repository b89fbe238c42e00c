import { readdirSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const CONSOLE = fileURLToPath(new URL("../console/src/", import.meta.url));

/** Components that surround whole screens: shown around the design page, or one of its states. */
const AROUND_SCREENS: readonly string[] = ["permission-gate.tsx", "toast-region.tsx"];

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

test("the design page shows every component", () => {
  const sections = readdirSync(`${CONSOLE}app/design`).filter((name) => name.endsWith(".tsx"));
  const shown = new Set(
    sections.flatMap((name) => [...componentsOf(`${CONSOLE}app/design/${name}`)]),
  );
  const missing = COMPONENTS.filter((name) => !shown.has(name) && !AROUND_SCREENS.includes(name));
  expect(missing).toEqual([]);
});
