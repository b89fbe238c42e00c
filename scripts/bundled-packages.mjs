import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./tools.mjs";

/** What each build writes beside its result: the folders of the packages in it, one a line. */
export const BUNDLED_PACKAGES = "bundled-packages.txt";

const PACKAGE_FOLDER = /^.*?(node_modules\/(?:.+\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i;

/**
 * The folders, relative to the root, of the packages that bundled modules come from, one a line.
 * @param {Iterable<string>} modules
 */
export function listPackages(modules) {
  const folders = [...modules].map(
    (module) => PACKAGE_FOLDER.exec(module.replaceAll("\0", ""))?.[1],
  );
  return [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .sort()
    .join("\n");
}

/**
 * Name, version, licence and its text of each package.
 * @param {Iterable<string>} folders
 * @throws {Error} if a package has no text: what is published must not lack it
 */
export function describeLicences(folders) {
  const packages = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(ROOT, folder, "package.json"), "utf8"),
    );
    const files = readdirSync(join(ROOT, folder)).filter((file) => LICENCE_FILE.test(file));
    if (files.length === 0) throw new Error(`${folder} has no text of its licence`);
    const texts = files.sort().map((file) => readFileSync(join(ROOT, folder, file), "utf8").trim());
    return `${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`;
  });
  return packages.join(`\n${"-".repeat(80)}\n\n`);
}
