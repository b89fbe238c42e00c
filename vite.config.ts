import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin, type Rolldown } from "vite";
import { BUNDLED_PACKAGES, listPackages } from "./scripts/bundled-packages.mjs";
import { readCommit } from "./scripts/commit.mjs";
import { consoleBudget } from "./scripts/console-budget.ts";
import { routeScripts } from "./scripts/route-scripts.ts";

const packBrotli = promisify(brotliCompress);
const packGzip = promisify(gzip);

/** Address of the service under `npm run dev`; the built console calls its own origin. */
const SERVICE_URL = `http://localhost:${process.env["PORT"] ?? 8787}`;

const SHARED =
  /console\/src\/(?:ui|lib)\/|\/contract\/|node_modules\/lucide-react\/|stored-file|save-stored|use-file-keeping|archive-link|upload-query|work-strip\.module/;

/** Modules that only screens with lists share; the start page has none. */
const LISTS =
  /console\/src\/ui\/list\/(?!table)|\/(?:list-bar|save-selected|use-list|menu|selection)\.|\/contract\/(?:audit|users)\./;

/** Shared modules that so few screens use that they are loaded with those. */
const SELDOM_NEEDED =
  /\/ui\/(?:chart\/|details\.|form-dialog\.|lines-field\.|transfer-row\.)|\/(?:ask-before-leaving|consent-return|sign-in|transfer-queue)\.|\/contract\/(?:audit|channel-vods|chat|consent|costs|dashboard|device-sign-in|pictures|sessions|setup|source-preview|system|tokens|trash|users|verification|webhooks)\./;

/** What the dashboard has in common with the lists of uploads. */
const UPLOADS =
  /\/(?:features|domain)\/uploads\/(?!uploads-search|upload-query|archive-link|chat-|quality-text|invite-owner|upload-(?:debug|dialogs|facts|trouble))/;

/** What it has in common with System. */
const SYSTEM =
  /\/(?:system-health|platform-parts|metrics-query|cost-queries|lazy-chart)\.|\/contract\/(?:costs|dashboard|system)\./;

/** What the File Browser has in common with the watch page. */
const FILES = /\/domain\/files\/(?!file-facts)/;

/** What a channel's page has in common with the list of channels. */
const CHANNELS =
  /\/(?:features|domain)\/channels\/(?:channel-actions|channel-words|vod-words|channel\.module)\.|\/contract\/channel-vods\./;

/**
 * What no screen waits for: a script for the parts, dialogs and panels of some features, with what
 * only they use, and one for what several of these scripts use.
 */
function laterName(id: string, context: Rolldown.ChunkingContext): string | null {
  const seen = new Set<string>();
  const names = new Set<string | null>();
  const waiting = [id];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const module = context.getModuleInfo(next);
    if (module?.isEntry === true || next.endsWith("-page.tsx")) return null;
    // Where it is, its charts are loaded soon.
    if (id.endsWith("/lazy-chart.tsx")) return null;
    const { importers = [], dynamicImporters = [] } = module ?? {};
    if (dynamicImporters.length > 0) names.add(partName(next));
    waiting.push(...importers);
  }
  const [only] = names;
  return names.size > 1 ? "later" : (only ?? null);
}

/**
 * The script of what is imported on demand; null for a library or a part that is one. Each screen
 * has its own, which would otherwise bring what it shares with other screens' pages.
 */
function partName(id: string): string | null {
  if (/node_modules|\/chart\.tsx|\/new-archive-dialog\./.test(id)) return null;
  const [, feature] = /\/features\/(\w+)\//.exec(id) ?? [];
  if (/\/app\/(?:gates|consent|setup)\//.test(id)) return "gates";
  if (feature === undefined || id.endsWith("/inbox.tsx")) return "later";
  return /uploads|files/.test(feature) ? "lists-later" : `${feature}-later`;
}

/**
 * Imports each icon from its own module, or none would be known to belong to the script that uses
 * it, and draws them by our own, much smaller function.
 */
function separateIcons(): Plugin {
  return {
    name: "separate-icons",
    apply: "build",
    enforce: "pre",
    resolveId: {
      filter: { id: /\/createLucideIcon\.mjs$/ },
      handler: () => fileURLToPath(new URL("console/src/ui/lucide-icon.ts", import.meta.url)),
    },
    transform: {
      filter: { id: /\/console\/src\/.+\.tsx?$/ },
      handler: (code) =>
        code.replaceAll(/^import \{([^}]+)\} from "lucide-react";$/gm, (_import, names: string) =>
          names
            .split(",")
            .map((name) => name.trim())
            .filter((name) => name !== "" && !name.startsWith("type "))
            .map((name) => {
              const [icon = "", local = icon] = name.split(" as ");
              const file = icon.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=\d)/g, "-");
              return `import ${local} from "lucide-react/dist/esm/icons/${file.toLowerCase()}.mjs";`;
            })
            .join(" "),
        ),
    },
  };
}

/** Writes brotli and gzip versions of text files, so that no server compresses at runtime. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    // Files on disk are final; bundled code still contains Vite's placeholders at this stage.
    async writeBundle({ dir = "." }, bundle) {
      const names = Object.keys(bundle).filter((name) => /\.(?:js|css|html|svg)$/.test(name));
      await Promise.all(
        names.map(async (name) => {
          const path = join(dir, name);
          const text = await readFile(path);
          const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
          await Promise.all([
            writeFile(`${path}.br`, await packBrotli(text, { params: quality })),
            writeFile(`${path}.gz`, await packGzip(text, { level: constants.Z_BEST_COMPRESSION })),
          ]);
        }),
      );
    },
  };
}

/** Names the packages whose scripts, styles and fonts are in the build, for their licences. */
function bundledPackages(modules: Set<string>): Plugin {
  return {
    name: "bundled-packages",
    apply: "build",
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle))
        for (const module of output.type === "chunk" ? output.moduleIds : output.originalFileNames)
          modules.add(module);
    },
    // Once for all: the scripts of workers are generated earlier, and not written by themselves.
    writeBundle: ({ dir = "." }) => writeFile(join(dir, BUNDLED_PACKAGES), listPackages(modules)),
  };
}

/**
 * Only the service reads what callers send, and the calls' policies and summaries. The schema of an
 * answer is made when the first one comes, and a call that a build does not use is left out.
 */
function withoutServicePart(): Plugin {
  return {
    name: "without-service-part",
    apply: "build",
    enforce: "pre",
    transform: {
      filter: { id: /\/contract\/[\w-]+\.ts$/ },
      handler: (code) =>
        code.replaceAll(/(?<== )defineCall\(\{\n.*?^\}\);/gms, (call) =>
          `/* @__PURE__ */ ${call}`.replaceAll(
            /^ {2}(\w+):\s(.*?),\n(?= {2}[\w/]|\}\))/gms,
            (property, name: string, value: string) => {
              if (/^(?:policy|summary|params|query|body|needsRecentSignIn)$/.test(name)) return "";
              if (name !== "data") return property;
              return `get data() { const value = ${value}; Object.defineProperty(this, "data", { value }); return value; },\n`;
            },
          ),
        ),
    },
  };
}

const bundledModules = new Set<string>();

export default defineConfig({
  root: "console",
  experimental: {
    // Only the page has absolute paths, to which the host can add the base path.
    renderBuiltUrl: (_name, { hostType }) => (hostType === "html" ? undefined : { relative: true }),
  },
  define: { BUILD_COMMIT: JSON.stringify(readCommit()) },
  plugins: [
    react(),
    withoutServicePart(),
    separateIcons(),
    routeScripts(),
    compressed(),
    bundledPackages(bundledModules),
    consoleBudget(),
  ],
  worker: { format: "es", plugins: () => [bundledPackages(bundledModules)] },
  build: {
    outDir: "../dist/console",
    emptyOutDir: true,
    target: ["chrome125", "firefox128", "safari18"],
    // The Content-Security-Policy allows data: URLs for images but not for fonts or scripts.
    assetsInlineLimit: (path) => path.endsWith(".svg"),
    // All styles are 8 kB compressed: one request, and no route waits for its own.
    cssCodeSplit: false,
    modulePreload: {
      polyfill: false,
      // Naming what each part needs would weigh 1 kB on every first visit.
      resolveDependencies: (_file, scripts, { hostType }) => (hostType === "html" ? scripts : []),
    },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Changes only with a dependency, so returning visitors have it cached. Only the watch page
            // needs react-virtual, and only the notifications block leaving. The navigation's icons
            // would otherwise go with the menus that show them too, and take those to every screen.
            {
              name: "vendor",
              test: /node_modules\/(?:react|react-dom|scheduler|@tanstack(?!\/(?:react-virtual|virtual-core)\/)|zod)\/|rolldown\/runtime|vite\/preload-helper|icons\/(?:play|cloud-download)\./,
              priority: 3,
            },
            // Loads the routes' common modules with one request instead of a dozen small ones;
            // modules that only some screens of a feature share are kept separate.
            {
              name: "shared",
              test: (id) => SHARED.test(id) && !LISTS.test(id) && !SELDOM_NEEDED.test(id),
              minShareCount: 2,
              minSize: 0,
              priority: 2,
            },
            {
              name: laterName,
              debugName: "later",
              includeDependenciesRecursively: false,
              priority: 4,
            },
            { name: "lists", test: LISTS, minShareCount: 2, minSize: 0, priority: 1 },
            { name: "files", test: FILES, minShareCount: 2, minSize: 0, priority: 1 },
            { name: "system", test: SYSTEM, minShareCount: 2, minSize: 0, priority: 1 },
            { name: "channels", test: CHANNELS, minShareCount: 2, minSize: 0, priority: 1 },
            { name: "uploads", test: UPLOADS, minShareCount: 2, minSize: 0, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    strictPort: true,
    proxy: {
      "/admin": { target: SERVICE_URL, changeOrigin: false },
      "/media": { target: SERVICE_URL },
    },
  },
});
