import { sealedEntrySchema, type SealedEntry } from "#contract/audit.ts";
import type { Digests } from "#service/ports/digests.ts";
import { sealOf } from "./audit-chain.ts";
import type { Mark } from "./audit-marks.ts";

export type ExportReport = {
  /** Number of valid lines, up to the first fault. */
  readonly entries: number;
  /** Number of those whose predecessor is also in the file. */
  readonly linked: number;
  readonly newestSeal: string | null;
  /** The fault in the line after the valid ones. */
  readonly fault: string | null;
};

/**
 * Verifies the lines of an export, newest first, from the file alone, and against an earlier
 * published seal if one is given. An unfiltered export contains that seal's entry.
 */
export async function checkExport(
  lines: AsyncIterable<string> | Iterable<string>,
  digests: Pick<Digests, "sha256">,
  head: Mark | null = null,
): Promise<ExportReport> {
  let [entries, linked] = [0, 0];
  let isHeadFound = false;
  let newestSeal: string | null = null;
  let later: { readonly seq: number; readonly previousSeal: string } | null = null;
  for await (const line of lines) {
    const fault = (what: string) => ({ entries, linked, newestSeal, fault: what });
    const entry = parseEntry(line);
    if (entry === null) return fault("this is no exported entry.");
    const seal = await sealOf(digests, entry.previousSeal, entry);
    if (seal !== entry.seal) return fault(`entry ${entry.seq} is not what was sealed.`);
    if (later !== null && later.seq <= entry.seq)
      return fault(`entry ${entry.seq} is not older than the one before it.`);
    if (later?.seq === entry.seq + 1) {
      if (later.previousSeal !== entry.seal)
        return fault(`entry ${later.seq} does not follow from entry ${entry.seq}.`);
      linked += 1;
    }
    if (head !== null && newestSeal === null && entry.seq < head.seq)
      return fault(`entry ${head.seq}, whose seal was published, is not in the file.`);
    if (head?.seq === entry.seq) {
      isHeadFound = true;
      if (head.hash !== entry.seal)
        return fault(`entry ${entry.seq} has another seal than was published.`);
    }
    newestSeal ??= entry.seal;
    entries += 1;
    later = entry;
  }
  const fault =
    head === null || isHeadFound
      ? null
      : `entry ${head.seq}, whose seal was published, is not in the file.`;
  return { entries, linked, newestSeal, fault };
}

function parseEntry(line: string): SealedEntry | null {
  try {
    return sealedEntrySchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
