import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { ROOT } from "./tools.mjs";

/** Where folders are prepared and discarded: on the file system of what they replace. */
const ASIDE = `${ROOT}dist/aside/`;

/**
 * Returns an empty folder for a new version of `name`.
 * @param {string} name relative to the root
 */
export function prepareFolder(name) {
  const path = `${ASIDE}new/${name}`;
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return path;
}

/**
 * Puts a complete folder in the place of `name`. Until then the earlier version remains, so that a
 * service can start from it whatever fails.
 * @param {string} fresh
 * @param {string} name relative to the root
 */
export function replaceFolder(fresh, name) {
  const old = `${ASIDE}old/${name}`;
  rmSync(old, { recursive: true, force: true });
  mkdirSync(`${old}/..`, { recursive: true });
  if (existsSync(ROOT + name)) renameSync(ROOT + name, old);
  renameSync(fresh, ROOT + name);
  rmSync(old, { recursive: true, force: true });
}
