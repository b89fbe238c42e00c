// Runs before the first paint and before any module.
// The chosen theme is set here, so that a dark page never flashes light.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without access to storage, the system's theme applies.
}
// Preloads the first screen's scripts in parallel with the shared ones. The build writes the meta
// element (scripts/route-scripts.ts); development has none.
{
  const meta = document.querySelector('meta[name="route-scripts"]');
  const basePath = document.querySelector('meta[name="base-path"]').content.replace(/\/+$/, "");
  const path = location.pathname.slice(basePath.length);
  const routes = JSON.parse(meta?.content ?? "{}");
  // A path that no route has ends with an id.
  const folder = path.replace(/[^/]+$/, "$");
  const route = path in routes ? path : Object.keys(routes).find((one) => one.startsWith(folder));
  const scripts = routes[route] ?? [];
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
