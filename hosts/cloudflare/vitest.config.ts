import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** The features behind the calls, as they are on a database and a store. */
const FEATURES =
  "../../service/{audit,auth,channels,consents,costs,dashboard,doctor,files,http,live,manual-uploads,pictures,system,tokens,trash,uploads,users,webhooks}";

/** Their suites that run on Node alone (docs/decisions/0006-checks.md). */
const ON_NODE_ALONE = [
  // Listens, or is answered by a server that it starts itself.
  "manual-uploads/manual-client",
  // Spoils or reads the node host's files.
  "audit/audit-chain",
  "costs/usage-meter",
  "files/{rebuild-index,scrub}",
  "http/{openapi,outage}",
  // A minute of arithmetic over one history.
  "dashboard/true-numbers",
].map((name) => `../../service/${name}.test.ts`);

/**
 * The ports' conformance suites and the features' own, inside Cloudflare's runtime on its D1, R2, KV,
 * queues and Durable Objects.
 */
export default defineConfig({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: "./testing/wrangler.jsonc" },
      remoteBindings: false,
    }),
  ],
  test: {
    include: [
      "**/*.test.ts",
      `${FEATURES}/**/*.test.ts`,
      "../../service/db/{backfills,failed-upgrade}.test.ts",
      "../../service/retention.test.ts",
      "../../service/storage/{queue-order,upload-actions}.test.ts",
    ],
    exclude: ["**/node_modules/**", ...ON_NODE_ALONE],
    globalSetup: ["../../stand-ins/steering/vitest-setup.ts"],
    // One runtime for all files: each needs two seconds to start, and each suite cleans up.
    isolate: false,
    retry: 0,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
  },
});
