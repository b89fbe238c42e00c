import { spawnSync } from "node:child_process";
import { ROOT } from "./tools.mjs";

/**
 * The commit of the sources, as 12 hexadecimal digits; null outside a repository. COMMIT names it
 * where a build has no repository, as in a container. git may be missing, or distrust the folder's
 * owner.
 */
export function readCommit() {
  const args = ["rev-parse", "--short=12", "HEAD"];
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? stdout.trim() : process.env["COMMIT"] || null;
}
