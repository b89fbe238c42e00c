import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Where `npm run dev` finds the service; the built console calls its own origin. */
const SERVICE_URL = process.env["VITE_API_URL"] ?? "http://localhost:8787";

/** Puts a brotli and a gzip twin beside each text file, so that no server compresses on the fly. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      for (const [fileName, file] of Object.entries(bundle)) {
        if (!/\.(?:js|css|html|svg)$/.test(fileName)) continue;
        const text = file.type === "chunk" ? file.code : file.source;
        const source = brotliCompressSync(text, {
          params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
        });
        this.emitFile({ type: "asset", fileName: `${fileName}.br`, source });
        this.emitFile({
          type: "asset",
          fileName: `${fileName}.gz`,
          source: gzipSync(text, { level: constants.Z_BEST_COMPRESSION }),
        });
      }
    },
  };
}

export default defineConfig({
  root: "console",
  plugins: [react(), compressed()],
  build: {
    outDir: "../dist/console",
    emptyOutDir: true,
    target: ["chrome125", "firefox128", "safari18"],
    // The Content-Security-Policy admits images from data: addresses but no such fonts or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Changes only with a dependency, so a returning visitor has it cached.
            {
              name: "vendor",
              test: /node_modules\/(?:react|react-dom|scheduler|@tanstack|zod)\//,
              priority: 2,
            },
            // What several routes share comes in one request instead of a dozen small ones.
            { name: "shared", minShareCount: 2, minSize: 0, priority: 1 },
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
      "/healthz": { target: SERVICE_URL },
    },
  },
});
