import { defineConfig } from "vitest/config";

/** Tests that start the whole product, mostly many times, or run many archives to their end. */
const RIGS = [
  "bench/{channels,rigs}/**/*.test.ts",
  "bench/workerd/{isolate-memory,worker}.test.ts",
  "program/migrate/migrate.test.ts",
  "service/archiver/archive-faults.test.ts",
  "service/chat/chat-kills.test.ts",
  "service/notifications/hanging-provider.test.ts",
];

/** Tests of many repeated runs: `units` does a tenth of them, which finds frequent failures. */
const REPEATED = [
  "hosts/node/media-receiver-generated.test.ts",
  "service/auth/session-life.test.ts",
  "service/jobs/jobs.test.ts",
  "service/lists.test.ts",
  "service/manual-uploads/manual-uploads.test.ts",
  "service/trash/retention.test.ts",
  "service/users/user-rules.test.ts",
];

/**
 * All tests except those in browsers. `units` has unit, property, conformance and integration
 * tests. `rigs` kill, fuzz and move the whole product for minutes, or need extra programs, so
 * only `npm run test:deep` runs them.
 */
export default defineConfig({
  test: {
    environment: "node",
    // Far from UTC, so that a local date where UTC is meant is noticed on every machine.
    env: { TZ: "Pacific/Kiritimati" },
    // The default leaves one CPU idle, which is half of a machine with two.
    maxWorkers: "100%",
    setupFiles: ["./scripts/fail-on-surprise.ts"],
    expect: { requireAssertions: true, poll: { timeout: 180_000 } },
    retry: 0,
    // Far longer than any test takes, since a busy machine is slow.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    dangerouslyIgnoreUnhandledErrors: false,
    projects: [
      {
        extends: true,
        test: {
          name: "units",
          // Files share processes and loaded modules, which nearly halves the time. So each test
          // file has to restore the globals that it replaces.
          isolate: false,
          env: { SHARE_OF_RUNS: "0.1" },
          include: [
            "{contract,service,hosts,program,stand-ins,console,bench,scripts}/**/*.test.{ts,tsx}",
          ],
          // Tests in hosts/cloudflare run inside workerd and those of components in a browser, each
          // with a separate configuration.
          exclude: ["**/node_modules/**", "hosts/cloudflare/**", "**/*.browser.test.tsx", ...RIGS],
        },
      },
      {
        extends: true,
        test: { name: "rigs", include: [...RIGS, ...REPEATED] },
      },
    ],
  },
});
