import { hash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Mark } from "#service/audit/audit-marks.ts";
import { checkExport } from "#service/audit/check-export.ts";
import { CommandError, EXIT_CODES } from "./exit-codes.ts";

/**
 * Verifies an exported audit log without the service: each entry must match its seal, and follow
 * from the previous one where both are in the file. `published` is a seal that was published earlier
 * (docs/security.md#audit-log): the file must contain its entry with that seal, which proves that
 * nothing before it was rewritten or removed since.
 */
export async function verifyAudit(path: string, published: string | undefined): Promise<void> {
  const head = published === undefined ? null : readPublishedSeal(published);
  if (!existsSync(path)) throw new CommandError(EXIT_CODES.notFound, `There is no file ${path}.`);
  const digests = {
    sha256: async (bytes: Uint8Array) => hash("sha256", bytes),
  };
  const report = await checkExport(
    createInterface({ input: createReadStream(path) }),
    digests,
    head,
  );
  if (report.fault === null) {
    console.log(
      `${report.entries} entries are unchanged; ${report.linked} of them follow an entry in this file.`,
    );
    if (head !== null) console.log(`Entry ${head.seq} has the seal that was published.`);
    if (report.newestSeal !== null) console.log(`The newest seal is ${report.newestSeal}.`);
  } else {
    console.error(`Line ${report.entries + 1}: ${report.fault}`);
    process.exitCode = EXIT_CODES.mismatch;
  }
}

/** Accepts the seal with or without groups, as the log, the console and this command print it. */
function readPublishedSeal(text: string): Mark {
  const [, seq, groups = ""] = /^(\d{1,15})((?:\s*[0-9a-f]{16}){4})$/.exec(text.trim()) ?? [];
  if (seq === undefined)
    throw new CommandError(EXIT_CODES.usage, "--head must be an entry's number and its seal.");
  return { seq: Number(seq), hash: groups.replaceAll(/\s/g, "") };
}
