import { spawnSync } from "node:child_process";
import process from "node:process";
import { expect, test } from "vitest";

/** Runs a script with these settings only: accepted command lines fail later. */
function run(script: string, args: readonly string[], settings: Record<string, string> = {}) {
  const path = script.includes("/") ? script : `scripts/${script}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], {
    env: { PATH: process.env["PATH"], DATA_DIR: "/dev/null/none", ...settings },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

test.each([
  [
    "deploy-worker.ts",
    ["--dryrun"],
    /^Unknown option '--dryrun'.*\nnpm run deploy -- \[--dry-run\]\n$/,
  ],
  ["deploy-worker.ts", ["production"], /^Unexpected argument 'production'/],
  ["seed.ts", [], /^DATA_DIR \/dev\/null\/none cannot be used: [^\n]+\n$/],
  [
    "bench/rigs/kill.ts",
    ["--kills", "abc"],
    /^--kills must be a whole number below 100 million\.\n/,
  ],
  ["bench/rigs/fuzz.ts", ["--requests", "1e5"], /^--requests must be a whole number/],
  ["seed.ts", ["--uploads", "many"], /^--uploads must be a whole number below 100 million\.\n/],
])("%s %j exits with 1 and prints only what is wrong", (script, args, said) => {
  const { status, stdout, stderr } = run(script, args);
  expect(stderr).toMatch(said);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
});

test("a deployment takes settings that have no default", () => {
  const { status, stderr } = run("deploy-worker.ts", ["--dry-run"], {
    REAUTHENTICATE_MINUTES: "0",
  });
  expect(stderr).toBe("REAUTHENTICATE_MINUTES must be a whole number from 1 to 720.\n");
  expect(status).toBe(1);
});

test("--help prints the usage of a command", () => {
  expect(run("seed.ts", ["--help"])).toEqual({
    status: 0,
    stdout: "npm run seed -- [--uploads N] [--users N] [--files N]\n",
    stderr: "",
  });
});
