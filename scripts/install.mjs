import "./node-version.cjs";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { prepareFolder, replaceFolder } from "./replace-folder.mjs";
import { ROOT, capture, fail } from "./tools.mjs";

/** Printed only after a failure: with requests, since npm 10.8 may keep the error to itself. */
const OUTPUT = ["--loglevel=http", "--no-progress"];

/** What builds is among them: NODE_ENV=production and omit=dev would leave it out. */
const ALL = ["--include=dev", "--include=optional"];

/** What npm reads to install. */
const MANIFESTS = ["package.json", "package-lock.json", ".npmrc"];

/** A registry may fail for a moment. What was downloaded is in npm's cache by the next try. */
const TRIES = 3;

/** npm's last lines say why it failed. */
const LAST_LINES = 20;

/** Contains the digest of the lockfile that was installed, and the version of Node that did it. */
const STAMP = "node_modules/.vodkeep-install";

/**
 * Installs exactly the lockfile's packages unless they are installed. Quiet unless it fails: then
 * the packages of the earlier installation remain.
 */
export async function ensureInstalled() {
  if (isInstalled()) return;
  console.log("Installing the locked dependencies (about half a minute) …");
  const folder = prepareFolder("install");
  for (const name of MANIFESTS) copyFileSync(ROOT + name, `${folder}/${name}`);
  for (let failures = 1; ; failures += 1) {
    const { code, output } = await capture("npm", [
      "ci",
      "--prefix",
      folder,
      ...ALL,
      ...OUTPUT,
    ]).catch((error) => ({ code: 1, output: String(error) }));
    // npm 10.8 may exit with 0 after a failure (github.com/npm/cli, "Exit handler never called!").
    if (code === 0 && existsSync(`${folder}/node_modules/.bin/node`)) break;
    if (code === 0 && existsSync(`${folder}/node_modules/node`))
      fail(
        "npm did not run the install scripts, which bring Vodkeep's own Node: set " +
          "npm_config_ignore_scripts=false for this command.",
      );
    if (failures < TRIES) continue;
    const reason = output.trim().split("\n").slice(-LAST_LINES).join("\n");
    fail(
      `${reason || "npm printed nothing."}\nnpm ci failed with exit code ${code}: see above. It needs ` +
        "access to the registry.",
    );
  }
  writeFileSync(`${folder}/${STAMP}`, `${lockDigest()}${process.versions.node}\n`);
  replaceFolder(`${folder}/node_modules`, "node_modules");
}

function isInstalled() {
  return existsSync(ROOT + STAMP) && readFileSync(ROOT + STAMP, "utf8").startsWith(lockDigest());
}

function lockDigest() {
  const digest = createHash("sha256")
    .update(readFileSync(`${ROOT}package-lock.json`))
    .digest("hex");
  return `${digest} installed by Node `;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await ensureInstalled();
