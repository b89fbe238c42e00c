import type { Rolldown } from "vite";

/** Changes only with a dependency, so returning visitors have it cached. */
const LIBRARIES =
  /node_modules\/(?:react|react-dom|scheduler|use-sync-external-store|@tanstack|zod)\/|rolldown\/runtime|vite\/preload-helper/;

/**
 * What several screens have in common is in the script of the first family that all of them belong
 * to, or in the one of the console. Few scripts, since each request costs more than some bytes in
 * vain.
 */
const FAMILIES: readonly (readonly [script: string, pages: readonly string[]])[] = [
  ["monitor", ["uploads", "failed-uploads"]],
  ["channels", ["channels", "channel"]],
  ["overviews", ["dashboard", "channels", "channel", "system"]],
  ["uploads", ["uploads", "failed-uploads", "dashboard", "watch", "system"]],
  ["files", ["files"]],
  ["videos", ["files", "watch"]],
  ["records", ["audit", "users", "notifications"]],
  [
    "lists",
    [
      "uploads",
      "failed-uploads",
      "files",
      "users",
      "channels",
      "channel",
      "audit",
      "notifications",
    ],
  ],
];

/**
 * The script of a module, by what needs it: the console from its start, screens, or only what is
 * shown later. Null where the bundler knows it: with the one screen or library that needs it.
 */
export function scriptOf(id: string, context: Rolldown.ChunkingContext): string | null {
  const starts = startsOf(id, context);
  if (starts.some((start) => context.getModuleInfo(start)?.isEntry === true))
    return LIBRARIES.test(id) ? "vendor" : "index";
  const pages = starts.flatMap((start) => /([\w-]+)-page\.tsx$/.exec(start)?.[1] ?? []);
  const parts = starts.filter((start) => !start.endsWith("-page.tsx"));
  if (pages.length === 0) return laterScriptOf(parts);
  const isOwn = parts.length === 0 || /^(?:dashboard|watch)-/.test(laterScriptOf(starts) ?? "");
  if (pages.length === 1 && isOwn) return null;
  const family = FAMILIES.find(([, members]) => pages.every((page) => members.includes(page)));
  return family?.[0] ?? "index";
}

/**
 * No screen waits for it. What the signed-out see, and the parts of large screens, have a script
 * each; all others share one.
 */
function laterScriptOf(parts: readonly string[]): string | null {
  if (parts.every((part) => /node_modules|\/chart\.tsx$/.test(part))) return null;
  const features = new Set(parts.map(featureOf));
  if (features.has("gates")) return "gates";
  const [feature, ...others] = features;
  const isLarge = others.length === 0 && /^(?:dashboard|uploads|watch)$/.test(feature ?? "");
  return isLarge ? `${feature}-later` : "later";
}

function featureOf(start: string): string | undefined {
  return /\/(?:features|app)\/(\w+)\//.exec(start)?.[1];
}

/** What is loaded by itself and needs the module: the console, a page, or what is imported on demand. */
function startsOf(id: string, context: Rolldown.ChunkingContext): readonly string[] {
  const seen = new Set([id]);
  for (const next of seen)
    for (const importer of context.getModuleInfo(next)?.importers ?? []) seen.add(importer);
  return [...seen].filter((one) => {
    const module = context.getModuleInfo(one);
    return module?.isEntry === true || (module?.dynamicImporters ?? []).length > 0;
  });
}
