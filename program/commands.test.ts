import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { EXIT_CODES } from "./exit-codes.ts";

/** Runs a command with these settings only: accepted command lines fail later. */
function run(args: readonly string[], settings: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["program/main.ts", ...args], {
    env: { PATH: process.env["PATH"], DATA_DIR: "/dev/null/none", ...settings },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const NO_FOLDER = /^DATA_DIR \/dev\/null\/none cannot be used: [^\n]+\n$/;

test.each([
  [["migrate", "--dry"], "usage", /^error: unknown option '--dry'\n$/],
  [["migrate"], "usage", /^Say one of --rows and --compare\.\n$/],
  [["rebuild-index", "--dry-run"], "usage", /^error: unknown option '--dry-run'\n$/],
  [["verify-audit"], "usage", /^error: missing required argument 'file'\n$/],
  [["verify-audit", "a.jsonl", "--head", "7 abc"], "usage", /^--head must be an entry's number/],
  [["verify-audit", "absent.jsonl"], "notFound", /^There is no file absent\.jsonl\.\n$/],
  [["rebuild-index"], "failed", NO_FOLDER],
  [["takeover"], "failed", NO_FOLDER],
  [["backup"], "usage", /^error: required option '--to <folder>' not specified\n$/],
  [["backup", "--to", "backup"], "failed", /^DATA_DIR \/dev\/null\/none has no database\.\n$/],
  [["beginn"], "usage", /^error: /],
] as const)("%j ends as %s and prints only what is wrong", (args, end, said) => {
  const { status, stdout, stderr } = run(args);
  expect(stderr).toMatch(said);
  expect({ status, stdout }).toEqual({ status: EXIT_CODES[end], stdout: "" });
});

test("a wrong setting ends a start with its own code", () => {
  const { status, stderr } = run(["start"], { PORT: "none" });
  expect(stderr).toMatch(/^PORT must be/);
  expect(status).toBe(EXIT_CODES.settings);
});

test("a damaged database is reported in one sentence", () => {
  const folder = mkdtempSync(join(tmpdir(), "vodkeep-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "vodkeep.db"), "not a database");
  const { status, stderr } = run(["rebuild-index"], { DATA_DIR: folder });
  expect(stderr).toBe("The database cannot be used: file is not a database.\n");
  expect(status).toBe(EXIT_CODES.failed);
});

test("--help names the commands", () => {
  const { status, stdout } = run(["--help"]);
  expect(stdout).toMatch(/^Usage: vodkeep/);
  expect(stdout).toMatch(/^ {2}backup /m);
  expect(status).toBe(EXIT_CODES.done);
});
