import { existsSync } from "node:fs";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { capture, fail } from "./tools.mjs";

/** A mirror may fail for a moment, or change between its list and the download of a package. */
const TRIES = 3;
const PAUSE_MS = 10_000;

/** Of a machine that has just started, which updates itself. */
const OTHER_APT = ["-o", "DPkg::Lock::Timeout=600"];

/**
 * Installs Debian packages whose programs are missing, or fails with a sentence that names them.
 * @param {Readonly<Record<string, string>>} programs absolute path of each program, to its package
 */
export async function ensureDebianPackages(programs) {
  const problem = await installDebianPackages(programs, TRIES);
  if (problem !== null) fail(problem);
}

/**
 * Installs Debian packages whose programs are missing, which needs root and apt.
 * @param {Readonly<Record<string, string>>} programs absolute path of each program, to its package
 * @param {number} [tries]
 * @returns {Promise<string | null>} why that is not possible
 */
export async function installDebianPackages(programs, tries = 1) {
  const missing = Object.entries(programs).filter(([path]) => !existsSync(path));
  if (missing.length === 0) return null;
  const packages = [...new Set(missing.map(([, name]) => name))];
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get"))
    return `The tests need these programs: ${missing.map(([path]) => path).join(", ")}.`;
  console.log(`Installing ${packages.join(", ")} …`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  for (let failures = 1; ; failures += 1) {
    await capture("apt-get", ["update", "-qq"], env);
    const { code, output } = await capture(
      "apt-get",
      // Where a service manager runs, packages start their services; the tests start their own.
      [...OTHER_APT, "install", "-y", "-qq", "--no-install-recommends", ...packages],
      env,
    );
    if (code === 0) return null;
    if (failures >= tries)
      return `${output}\n${packages.join(", ")} could not be installed: see above.`;
    await pause(PAUSE_MS);
  }
}
