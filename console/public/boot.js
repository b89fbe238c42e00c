// Runs before the first paint and before any module.
// The chosen theme is set here, so that a dark page never flashes light.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without access to storage, the system's theme applies.
}
// Requests the first screen's scripts in parallel with the shared ones, and its first answers. The
// build writes the meta element (scripts/route-scripts.ts); development has none.
{
  const meta = document.querySelector('meta[name="route-scripts"]');
  const basePath = document.querySelector('meta[name="base-path"]').content.replace(/\/+$/, "");
  const path = location.pathname.slice(basePath.length);
  const routes = JSON.parse(meta?.content ?? "{}");
  // A path that no route has ends with an id.
  const folder = path.replace(/[^/]+$/, "$");
  const route = path in routes ? path : Object.keys(routes).find((one) => one.startsWith(folder));
  const { scripts = [], permission, calls } = routes[route] ?? {};
  for (const script of scripts) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = basePath + script;
    document.head.append(link);
  }
  if (calls && location.search === "") requestEarly(basePath, path, permission, calls);
}
/** `lib/early-answers.ts` gives the answers out. What fails here is asked for again, and shown. */
function requestEarly(basePath, path, permission, calls) {
  try {
    const bearer = localStorage.getItem("admin_token");
    const admin = JSON.parse(localStorage.getItem("admin_user"));
    const expiresAtMs = Date.parse(localStorage.getItem("admin_token_expires_at"));
    if (!bearer || !admin?.isAdmin || expiresAtMs < Date.now() + 60_000) return;
    if (permission !== null && !admin.permissions.includes(permission)) return;
    const known = {
      DAY_START: encodeURIComponent(new Date(new Date().setHours(0, 0, 0, 0)).toISOString()),
      PAGE_SIZE: localStorage.getItem("page_size") ?? "20",
      FIRST_STEPS: localStorage.getItem("first_steps") === null ? "setup=true" : "",
      LAST_PART: path.split("/").at(-1),
    };
    globalThis.earlyAnswers = new Map();
    for (const call of calls) {
      const filled = call.replaceAll(/[A-Z]+_[A-Z]+/g, (name) => known[name]);
      const address = basePath + filled.replace(/&$/, "");
      const response = fetch(address, {
        headers: { accept: "application/json", authorization: `Bearer ${bearer}` },
        credentials: "include",
        signal: AbortSignal.timeout(10_000),
      });
      response.catch(() => undefined);
      globalThis.earlyAnswers.set(address, { bearer, response });
    }
  } catch {
    // Without access to storage, nobody is known.
  }
}
// zod compiles parsers with eval unless told otherwise, which the Content-Security-Policy forbids.
// It reads this object whenever it is loaded, so the order of the bundle's chunks does not matter.
globalThis.__zod_globalConfig = { jitless: true };
