import { existsSync } from "node:fs";
import process from "node:process";
import { capture, fail } from "./tools.mjs";

/**
 * Installs Debian packages whose programs are missing, or fails with a sentence that names them.
 * @param {Readonly<Record<string, string>>} programs absolute path of each program, to its package
 */
export async function ensureDebianPackages(programs) {
  const problem = await installDebianPackages(programs);
  if (problem !== null) fail(problem);
}

/**
 * Installs Debian packages whose programs are missing, which needs root and apt.
 * @param {Readonly<Record<string, string>>} programs absolute path of each program, to its package
 * @returns {Promise<string | null>} why that is not possible
 */
export async function installDebianPackages(programs) {
  const missing = Object.entries(programs).filter(([path]) => !existsSync(path));
  if (missing.length === 0) return null;
  const packages = [...new Set(missing.map(([, name]) => name))];
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get"))
    return `The tests need these programs: ${missing.map(([path]) => path).join(", ")}.`;
  console.log(`Installing ${packages.join(", ")} …`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await capture("apt-get", ["update", "-qq"], env);
  const { code, output } = await capture(
    "apt-get",
    // Where a service manager runs, packages start their services; the tests start their own.
    ["install", "-y", "-qq", "--no-install-recommends", ...packages],
    env,
  );
  return code === 0 ? null : `${output}\n${packages.join(", ")} could not be installed: see above.`;
}
