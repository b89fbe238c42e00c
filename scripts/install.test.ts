import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import process from "node:process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";

/** A copy of the project with an earlier installation, and an npm that the test describes. */

let folder: { path: string; remove(): Promise<void> };
beforeEach(async () => {
  folder = await makeTemporaryFolder();
  for (const name of ["scripts", "bin", "node_modules/earlier"])
    mkdirSync(`${folder.path}/${name}`, { recursive: true });
  for (const name of ["package.json", "package-lock.json", ".npmrc"])
    copyFileSync(name, `${folder.path}/${name}`);
  for (const name of [
    "install.mjs",
    "tools.mjs",
    "cpu-time.mjs",
    "replace-folder.mjs",
    "node-version.cjs",
  ])
    copyFileSync(`scripts/${name}`, `${folder.path}/scripts/${name}`);
});
afterEach(() => folder.remove());

function install(npm: string | null) {
  if (npm !== null) writeFileSync(`${folder.path}/bin/npm`, `#!/bin/sh\n${npm}\n`, { mode: 0o700 });
  return runNode(["scripts/install.mjs"]);
}

function runNode(args: readonly string[]) {
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: folder.path,
    env: { PATH: npmPath() },
    encoding: "utf8",
  });
  return { status, stderr };
}

/** Without the machine's npm. */
function npmPath(): string {
  return existsSync(`${folder.path}/bin/npm`) ? `${folder.path}/bin:/usr/bin:/bin` : "/nonexistent";
}

/** Also with NODE_ENV=production. */
const INSTALLS = `case "$*" in *--include=dev*) ;; *) exit 9;; esac
mkdir -p "$3/node_modules/.bin" && touch "$3/node_modules/.bin/node"`;

test.each([
  ["exits with 0", 'echo "fetch failed with EAI_AGAIN" >&2', /EAI_AGAIN\nnpm ci failed/],
  ["fails late", `${INSTALLS}; echo "ENOSPC" >&2; exit 228`, /ENOSPC\nnpm ci failed.+228/],
  ["is missing", null, /ENOENT\nnpm ci failed/],
  [
    "ran no install scripts",
    'mkdir -p "$3/node_modules/node"',
    /^npm did not run[^\n]+npm_config_ignore_scripts=false[^\n]+\n$/,
  ],
])("an npm that %s is said, and the earlier installation stays", (_what, npm, said) => {
  expect(install(npm)).toEqual({ status: 1, stderr: expect.stringMatching(said) });
  expect(existsSync(`${folder.path}/node_modules/earlier`)).toBe(true);
});

test("an npm that fails for a moment is run again", () => {
  const failed = `${folder.path}/failed`;
  const npm = `[ -e ${failed} ] || { touch ${failed}; echo "ETIMEDOUT" >&2; exit 1; }\n${INSTALLS}`;
  expect(install(npm)).toEqual({ status: 0, stderr: "" });
});

test("a complete installation takes the place of the earlier one, and is not repeated", () => {
  expect(install(INSTALLS)).toEqual({ status: 0, stderr: "" });
  expect(existsSync(`${folder.path}/node_modules/earlier`)).toBe(false);
  expect(install("exit 1")).toEqual({ status: 0, stderr: "" });
});

test("what npm installed with a version of Node that is not named is installed again", () => {
  install(INSTALLS);
  writeFileSync(`${folder.path}/node_modules/.vodkeep-install`, "0".repeat(64));
  expect(install("exit 1").status).toBe(1);
});

test.each([
  ["18.20.8", 1],
  ["20.18.3", 1],
  ["22.11.0", 1],
  ["20.19.0", 0],
  ["22.12.0", 0],
  ["26.0.0", 0],
])("Node %s ends with %i", (version, status) => {
  const pretend = `Object.defineProperty(process.versions, "node", { value: "${version}" });`;
  const { stderr, ...end } = runNode(["-e", `${pretend} require("./scripts/node-version.cjs")`]);
  expect(end).toEqual({ status });
  expect(stderr.split("\n")).toHaveLength(status + 1);
});
