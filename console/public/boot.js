// Runs before the first paint and before any module.
// The chosen theme is set here, so that a dark page never flashes light.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's theme applies then.
}
// What the first screen needs is asked for together with what all screens need, not after that has
// run. The build writes the meta element (scripts/route-scripts.ts); in development there is none.
{
  const meta = document.querySelector('meta[name="route-scripts"]');
  const basePath = document.querySelector('meta[name="base-path"]').content.replace(/\/+$/, "");
  const path = location.pathname.slice(basePath.length);
  const scripts = JSON.parse(meta?.content ?? "{}")[path] ?? [];
  for (const script of scripts) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = basePath + script;
    document.head.append(link);
  }
}
// zod compiles parsers with eval unless told otherwise, which the Content-Security-Policy forbids.
// It reads this object whenever it is loaded, so the order of the bundle's chunks does not matter.
globalThis.__zod_globalConfig = { jitless: true };
// Whoever uses Intl first waits for it to list every locale, 15 to 20 ms on a fast machine. Now there
// is only waiting for scripts.
Intl.NumberFormat("en-US").format(0);
