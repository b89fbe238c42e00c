import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** The ports' conformance suites inside Cloudflare's runtime, on its own D1, R2, KV and queues. */
export default defineConfig({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: "./testing/wrangler.jsonc" },
      remoteBindings: false,
    }),
  ],
  test: {
    include: ["**/*.test.ts"],
    // One runtime for all files: each needs two seconds to start, and each suite cleans up.
    isolate: false,
    retry: 0,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
