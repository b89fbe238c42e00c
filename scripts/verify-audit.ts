import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { checkExport } from "#service/audit/check-export.ts";
import { refuse } from "./command-line.ts";

/**
 * npm run verify-audit -- FILE.jsonl
 *
 * Checks an exported audit log without the service: that each entry is what was sealed, and that
 * each follows from the one before it where both are in the file. Compare the newest seal with one
 * from the service's log to know that nothing was cut off.
 */
const USAGE = "npm run verify-audit -- audit-2026-11-20.jsonl";

const [path] = process.argv.slice(2);
if (path === undefined) refuse(USAGE, "Name the exported file.");
if (!existsSync(path)) refuse(USAGE, `There is no file ${path}.`);
const digests = {
  sha256: async (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex"),
};
const report = await checkExport(createInterface({ input: createReadStream(path) }), digests);
if (report.fault === null) {
  console.log(
    `${report.entries} entries are unchanged; ${report.linked} of them follow an entry in this file.`,
  );
  if (report.newestSeal !== null) console.log(`The newest seal is ${report.newestSeal}.`);
} else {
  console.error(`Line ${report.entries + 1}: ${report.fault}`);
  process.exitCode = 1;
}
