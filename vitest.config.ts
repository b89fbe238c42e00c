import { defineConfig } from "vitest/config";

/** They start the whole product, most of them many times, or go through thousands of its runs. */
const RIGS = [
  "bench/{rigs,workerd}/**/*.test.ts",
  "hosts/node/folder-store/folder-store-crash.test.ts",
  "scripts/migrate/move.test.ts",
  "service/archiver/archive-crash.test.ts",
  "stand-ins/twitch/public-clients.test.ts",
];

/** Many runs of the same; `units` makes a fifth of them, which finds what is broken often. */
const REPEATED = [
  "service/auth/session-life.test.ts",
  "service/dashboard/true-numbers.test.ts",
  "service/files/file-list.test.ts",
  "service/http/{fuzz,naughty-text}.test.ts",
  "service/uploads/{manual-uploads,naughty-filenames,upload-list}.test.ts",
  "service/users/{user-list,user-races,user-rules}.test.ts",
];

/**
 * Everything but the browser. `units` are units, properties, conformance and integration; `rigs`
 * kill, fuzz, move and simulate the whole for minutes, or run programs that need installing, so that `npm test` runs them and
 * `npm run check` does not.
 */
export default defineConfig({
  test: {
    environment: "node",
    // The default leaves one processor idle, which on two is half of them.
    maxWorkers: "100%",
    setupFiles: ["./scripts/fail-on-surprise.ts"],
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    retry: 0,
    // Far above what any takes: a machine busy with other work is slow, not wrong.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    dangerouslyIgnoreUnhandledErrors: false,
    projects: [
      {
        extends: true,
        test: {
          name: "units",
          env: { SHARE_OF_RUNS: "0.2" },
          include: ["{contract,service,hosts,stand-ins,console,bench,scripts}/**/*.test.{ts,tsx}"],
          // What is in hosts/cloudflare runs inside its runtime, by a configuration of its own.
          exclude: ["**/node_modules/**", "hosts/cloudflare/**", ...RIGS],
        },
      },
      { extends: true, test: { name: "rigs", include: [...RIGS, ...REPEATED] } },
    ],
  },
});
