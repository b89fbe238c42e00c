import process from "node:process";
import { expect, test } from "vitest";
import { run } from "#hosts/node/testing/run.ts";

test.each<[string, string[], RegExp, Record<string, string>?]>([
  [
    "scripts/deploy-worker.ts",
    ["--dryrun"],
    /^Unknown option '--dryrun'.*\nnpm run deploy -- \[--dry-run\]\n$/,
  ],
  ["scripts/deploy-worker.ts", ["production"], /^Unexpected argument 'production'/],
  [
    "scripts/deploy-worker.ts",
    ["--dry-run"],
    /^REAUTHENTICATE_MINUTES must be a whole number from 1 to 720\.\n$/,
    { REAUTHENTICATE_MINUTES: "0" },
  ],
  ["scripts/seed.ts", [], /^DATA_DIR \/dev\/null\/none cannot be used: [^\n]+\n$/],
  [
    "scripts/seed.ts",
    ["--uploads", "many"],
    /^--uploads must be a whole number below 100 million\.\n/,
  ],
  [
    "bench/rigs/kill.ts",
    ["--kills", "abc"],
    /^--kills must be a whole number below 100 million\.\n/,
  ],
  ["bench/rigs/fuzz.ts", ["--requests", "1e5"], /^--requests must be a whole number/],
])("%s %j exits with 1 and prints only what is wrong", async (path, args, said, settings = {}) => {
  // Accepted command lines fail later.
  const environment = { DATA_DIR: "/dev/null/none", ...settings };
  expect(await run(process.execPath, [path, ...args], environment)).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(said),
  });
});

test("--help prints the usage of a command", async () => {
  expect(await run(process.execPath, ["scripts/seed.ts", "--help"])).toEqual({
    code: 0,
    stdout: "npm run seed -- [--uploads N] [--users N] [--files N]\n",
    stderr: "",
  });
});
