import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { BUNDLED_PACKAGES, listPackages } from "./scripts/bundled-packages.mjs";
import { readCommit } from "./scripts/commit.mjs";
import { consoleBudget } from "./scripts/console-budget.ts";
import { scriptOf } from "./scripts/console-scripts.ts";
import { routeScripts } from "./scripts/route-scripts.ts";

const packBrotli = promisify(brotliCompress);
const packGzip = promisify(gzip);

/** Address of the service under `npm run dev`; the built console calls its own origin. */
const SERVICE_URL = `http://localhost:${process.env["PORT"] ?? 8787}`;

/**
 * Imports each icon from its own module, or none would be known to belong to the script that uses
 * it, and draws them by our own, much smaller function, which needs neither names nor keys.
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
      filter: { id: /\/console\/src\/.+\.tsx?$|\/lucide-react\/dist\/esm\/icons\// },
      handler: (code, id) =>
        id.endsWith(".mjs")
          ? code.replaceAll(/^ {2}(?:name|size): .*$|, key: "\w+"/gm, "")
          : code.replaceAll(/^import \{([^}]+)\} from "lucide-react";$/gm, importEach),
    },
  };
}

/** One import for each of the icons of an import. */
function importEach(_import: string, icons: string): string {
  return icons
    .split(",")
    .map((icon) => icon.trim())
    .filter((icon) => icon !== "" && !icon.startsWith("type "))
    .map((icon) => {
      const [name = "", local = name] = icon.split(" as ");
      const file = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=\d)/g, "-");
      return `import ${local} from "lucide-react/dist/esm/icons/${file.toLowerCase()}.mjs";`;
    })
    .join(" ");
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
  // React has what the other one makes up for.
  resolve: {
    alias: {
      "use-sync-external-store/shim/with-selector": "use-sync-external-store/with-selector",
    },
  },
  // Scripts and styles repeat them.
  css: { modules: { generateScopedName: "_[hash:base64:5]" } },
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
          groups: [{ name: scriptOf }],
          includeDependenciesRecursively: false,
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
