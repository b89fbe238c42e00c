// Runs before the first paint and before any module.
// The chosen theme is set here, so that a dark page never flashes light.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's theme applies then.
}
// zod compiles parsers with eval unless told otherwise, which the Content-Security-Policy forbids.
// It reads this object whenever it is loaded, so the order of the bundle's chunks does not matter.
globalThis.__zod_globalConfig = { jitless: true };
