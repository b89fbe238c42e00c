import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runVodkeep } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { EXIT_CODES } from "./exit-codes.ts";

/** Accepted command lines fail later. */
const NOWHERE = { DATA_DIR: "/dev/null/none" };

const NO_FOLDER = /^DATA_DIR \/dev\/null\/none cannot be used: [^\n]+\n$/;

test.each<[string[], keyof typeof EXIT_CODES, RegExp, Record<string, string>?]>([
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
  [["verify-audit", "docs"], "failed", /^EISDIR: [^\n]+\.\n$/],
  [["beginn"], "usage", /^error: unknown command 'beginn'\n/],
  [["start"], "settings", /^PORT must be/, { PORT: "none" }],
])("%j ends as %s and prints only what is wrong", async (args, end, said, settings = {}) => {
  expect(await runVodkeep(args, { ...NOWHERE, ...settings })).toEqual({
    code: EXIT_CODES[end],
    stdout: "",
    stderr: expect.stringMatching(said),
  });
});

test("a wrong store and a damaged database are reported in one sentence", async () => {
  await using folder = await makeTemporaryFolder();
  const wrong = { DATA_DIR: join(folder.path, "new"), OBJECT_STORE: "s3:" };
  expect(await runVodkeep(["rebuild-index"], wrong)).toMatchObject({
    code: EXIT_CODES.settings,
    stderr: expect.stringMatching(/^OBJECT_STORE has [^\n]+\n$/),
  });
  writeFileSync(join(folder.path, "vodkeep.db"), "not a database");
  expect(await runVodkeep(["rebuild-index"], { DATA_DIR: folder.path })).toMatchObject({
    code: EXIT_CODES.failed,
    stderr: "The database cannot be used: file is not a database.\n",
  });
});

test("a folder without a deployment is not taken for one", async () => {
  await using folder = await makeTemporaryFolder();
  const settings = { DATA_DIR: folder.path };
  for (const args of [["takeover"], ["migrate", "--rows", "rows.sql"]])
    expect(await runVodkeep(args, settings)).toEqual({
      code: EXIT_CODES.notFound,
      stdout: "",
      stderr: `DATA_DIR ${folder.path} has no database.\n`,
    });
  expect(await runVodkeep(["rebuild-index"], settings)).toMatchObject({
    code: EXIT_CODES.notFound,
    stdout: "",
    stderr: expect.stringMatching(/ holds no uploads\. Are DATA_DIR and OBJECT_STORE right\?\n$/),
  });
});

test("--help names the commands", async () => {
  const { code, stdout } = await runVodkeep(["--help"], NOWHERE);
  expect(stdout).toMatch(/^Usage: vodkeep/);
  expect(stdout).toMatch(/^ {2}backup /m);
  expect(code).toBe(EXIT_CODES.done);
});
