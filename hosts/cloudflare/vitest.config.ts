import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/**
 * Suites of the service that this runtime could fail alone: statements that D1 limits, batches in
 * place of transactions, streams, timers, queues, and stored bytes.
 */
const SENSITIVE = suites(
  "audit/audit-export",
  "db/{backfills,failed-upgrade,list}",
  "files/{file-routes,media-server}",
  "http/request-body",
  "jobs/job-runner",
  "lists",
  "live/upload-stream",
  "manual-uploads/tus/routes",
  "storage/upload-actions",
  "uploads/upload-list",
  "webhooks/webhooks",
);

/** The features behind the calls, as they are on a database and a store. */
const FEATURES = suites(
  "{audit,auth,channels,consents,costs,dashboard,doctor,files,health,history,http,live,manual-uploads,metrics,pictures,system,tokens,trash,uploads,users,webhooks}/**/*",
  "storage/queue-order",
);

/** Their suites that run on Node alone (docs/decisions/0006-checks.md). */
const ON_NODE_ALONE = suites(
  // Listens, or is answered by a server that it starts itself.
  "manual-uploads/manual-client",
  // Spoils or reads the node host's files.
  "audit/audit-chain",
  "costs/usage-meter",
  "http/{openapi,outage}",
  // A minute of arithmetic over one history.
  "dashboard/true-numbers",
);

/**
 * Inside Cloudflare's runtime on its D1, R2, KV, queues and Durable Objects: `host` has the ports'
 * conformance suites and the sensitive ones, `service` all others of the service.
 */
export default defineConfig({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: "./testing/wrangler.jsonc" },
      remoteBindings: false,
    }),
  ],
  test: {
    globalSetup: ["../../stand-ins/steering/vitest-setup.ts"],
    // One runtime for all files: each needs two seconds to start, and each suite cleans up.
    isolate: false,
    retry: 0,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { requireAssertions: true, poll: { timeout: 180_000 } },
    projects: [
      { extends: true, test: { name: "host", include: ["**/*.test.ts", ...SENSITIVE] } },
      {
        extends: true,
        test: { name: "service", include: FEATURES, exclude: [...ON_NODE_ALONE, ...SENSITIVE] },
      },
    ],
  },
});

function suites(...names: readonly string[]): string[] {
  return names.map((name) => `../../service/${name}.test.ts`);
}
