import { defineConfig } from "vitest/config";

/** Everything but the browser: units, properties, conformance, integration and the rigs. */
export default defineConfig({
  test: {
    include: ["{contract,service,hosts,stand-ins,console,bench,scripts}/**/*.test.{ts,tsx}"],
    // These run inside Cloudflare's runtime, by a configuration of their own.
    exclude: ["**/node_modules/**", "hosts/cloudflare/**"],
    environment: "node",
    retry: 0,
    testTimeout: 30_000,
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
