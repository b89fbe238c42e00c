import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { ROOT, capture, exists, fail } from "./tools.mjs";

const QUIET = ["--loglevel=error", "--no-progress"];

/** Contains the digest of the lockfile that was installed. */
const STAMP = `${ROOT}node_modules/.vodkeep-install`;

/** Installs exactly the lockfile's packages unless they are installed. Quiet unless it fails. */
export async function ensureInstalled() {
  if (isUpToDate()) return;
  console.log("Installing the locked dependencies (about half a minute) …");
  const { code, output } = await capture("npm", ["ci", ...QUIET]);
  if (code !== 0) fail(`${output}\nnpm ci failed: see above.`);
  if (!exists("node_modules/.bin/node"))
    fail(
      "npm did not run the install script of the `node` package. Allow install scripts and try again.",
    );
  writeFileSync(STAMP, lockDigest());
}

function isUpToDate() {
  if (!exists("node_modules/.bin/node")) return false;
  if (exists("node_modules/.vodkeep-install") && readFileSync(STAMP, "utf8") === lockDigest())
    return true;
  // Installed manually: npm writes its own lockfile last.
  const own = "node_modules/.package-lock.json";
  return exists(own) && modifiedMs(own) >= modifiedMs("package-lock.json");
}

function lockDigest() {
  return createHash("sha256")
    .update(readFileSync(`${ROOT}package-lock.json`))
    .digest("hex");
}

/** @param {string} path */
function modifiedMs(path) {
  return statSync(ROOT + path).mtimeMs;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await ensureInstalled();
