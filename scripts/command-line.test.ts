import process from "node:process";
import { expect, test } from "vitest";
import { run } from "#hosts/node/testing/run.ts";

/** Accepted command lines fail later. */
function runScript(script: string, args: readonly string[], settings: Record<string, string> = {}) {
  const path = script.includes("/") ? script : `scripts/${script}`;
  return run(process.execPath, [path, ...args], { DATA_DIR: "/dev/null/none", ...settings });
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
])("%s %j exits with 1 and prints only what is wrong", async (script, args, said) => {
  const stderr = expect.stringMatching(said);
  expect(await runScript(script, args)).toEqual({ code: 1, stdout: "", stderr });
});

test("a deployment takes settings that have no default", async () => {
  const settings = { REAUTHENTICATE_MINUTES: "0" };
  expect(await runScript("deploy-worker.ts", ["--dry-run"], settings)).toMatchObject({
    code: 1,
    stderr: "REAUTHENTICATE_MINUTES must be a whole number from 1 to 720.\n",
  });
});

test("--help prints the usage of a command", async () => {
  expect(await runScript("seed.ts", ["--help"])).toEqual({
    code: 0,
    stdout: "npm run seed -- [--uploads N] [--users N] [--files N]\n",
    stderr: "",
  });
});
