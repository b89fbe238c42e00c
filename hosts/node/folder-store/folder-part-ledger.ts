import { appendFile, open, readFile } from "node:fs/promises";
import * as z from "zod/mini";
import { fileErrorCode } from "../file-error.ts";
import { APPEND, READ, READ_WRITE } from "./open-flags.ts";

/**
 * Which parts of a multipart upload the folder holds: a file with one JSON line for each change,
 * the last line of a part number counting. A line is written only after the part's bytes have been
 * written and read back, and an old line is revoked before its bytes are overwritten, so that a
 * process killed anywhere leaves no line that claims bytes which are not there.
 *
 * A power cut may: neither the bytes nor these lines are synced one by one. So a further line, which
 * is, says which parts were on the disk before it was written. Parts without it, of a process before
 * this one, are doubtful until somebody has read them again.
 */
const storedSchema = z.object({
  partNumber: z.number(),
  sizeBytes: z.number(),
  tag: z.string(),
  /** Where in the content it begins; null: it has a file of its own. */
  offset: z.nullable(z.number()),
});
const revokedSchema = z.object({ revoked: z.number() });
const partSizeSchema = z.object({ partSizeBytes: z.number() });
const syncedSchema = z.object({ synced: z.array(z.number()) });
const lineSchema = z.union([storedSchema, revokedSchema, partSizeSchema, syncedSchema]);
type LedgerLine = z.infer<typeof lineSchema>;

/** A part as recorded. A part that is sent again gets a new one, which tells the two apart. */
export type PartRecord = z.infer<typeof storedSchema>;

export type PartLedger = {
  readonly parts: ReadonlyMap<number, PartRecord>;
  /** What the places of the parts are computed with; settled by the first part received. */
  partSizeBytes(ofThisPart: number): Promise<number>;
  record(part: PartRecord): Promise<void>;
  /** From here on the part's bytes may be overwritten. */
  revoke(partNumber: number): Promise<void>;
  /** Parts that no sync is known to have taken along, and that are not doubtful. */
  unsynced(): readonly PartRecord[];
  /** A sync that began after these were recorded has succeeded. That itself is on the disk then. */
  noteSynced(records: readonly PartRecord[]): Promise<void>;
  /** Whether it may have been lost since an earlier process recorded it. */
  isDoubtful(record: PartRecord): boolean;
  /** It has been read again: the next sync, by this process, keeps it. */
  trust(record: PartRecord): void;
};

export async function openPartLedger(path: string): Promise<PartLedger> {
  const parts = new Map<number, PartRecord>();
  const synced = new Set<PartRecord>();
  /** Those, and others about which a line is on its way. */
  const claimed = new Set<PartRecord>();
  const doubtful = new Set<PartRecord>();
  let partSize: Promise<number> | null = null;
  const { lines, sizeBytes } = await readLines(path);
  for (const line of lines) {
    if ("revoked" in line) parts.delete(line.revoked);
    else if ("partSizeBytes" in line) partSize = Promise.resolve(line.partSizeBytes);
    else if ("synced" in line) addAll(synced, line.synced, parts);
    else parts.set(line.partNumber, line);
  }
  for (const record of parts.values()) (synced.has(record) ? claimed : doubtful).add(record);

  const append = createAppender(path, sizeBytes);
  return {
    parts,
    partSizeBytes(ofThisPart) {
      partSize ??= append({ partSizeBytes: ofThisPart }).then(() => ofThisPart);
      return partSize;
    },
    async record(part) {
      await append(part);
      parts.set(part.partNumber, part);
    },
    async revoke(partNumber) {
      const record = parts.get(partNumber);
      if (record === undefined) return;
      // A line that says "synced" must not outlive, through a power cut, the one that takes it back.
      const flush = claimed.has(record);
      parts.delete(partNumber);
      await append({ revoked: partNumber }, { flush });
    },
    unsynced: () =>
      [...parts.values()].filter((record) => !synced.has(record) && !doubtful.has(record)),
    async noteSynced(records) {
      // A part that was sent again meanwhile is another one.
      const kept = records.filter((record) => parts.get(record.partNumber) === record);
      if (kept.length === 0) return;
      for (const record of kept) claimed.add(record);
      await append({ synced: kept.map(({ partNumber }) => partNumber) }, { flush: true });
      for (const record of kept) synced.add(record);
    },
    isDoubtful: (record) => doubtful.has(record),
    trust: (record) => void doubtful.delete(record),
  };
}

function addAll(
  synced: Set<PartRecord>,
  partNumbers: readonly number[],
  parts: ReadonlyMap<number, PartRecord>,
): void {
  for (const partNumber of partNumbers) {
    const record = parts.get(partNumber);
    if (record !== undefined) synced.add(record);
  }
}

type Append = (line: LedgerLine, options?: { flush?: boolean }) => Promise<void>;

/** Lines reach the file in the order of the calls, and whole or not at all. */
function createAppender(path: string, presentBytes: number): Append {
  let sizeBytes = presentBytes;
  let last: Promise<void> = Promise.resolve();

  async function write(text: string, options: { flush?: boolean }): Promise<void> {
    try {
      await appendFile(path, text, { ...options, flag: APPEND });
      sizeBytes += Buffer.byteLength(text);
    } catch (error) {
      await truncate(path, sizeBytes).catch(() => undefined);
      throw error;
    }
  }

  return (line, options = {}) => {
    const text = `${JSON.stringify(line)}\n`;
    const writing = last.catch(() => undefined).then(() => write(text, options));
    last = writing;
    return writing;
  };
}

/**
 * What can be read from the beginning on. A full disk or a crash cuts the last line short, and a
 * power cut may leave zeros where lines were: from there on everything is taken off, and parts
 * that were recorded there are stored again.
 */
async function readLines(
  path: string,
): Promise<{ lines: readonly LedgerLine[]; sizeBytes: number }> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path, { flag: READ });
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return { lines: [], sizeBytes: 0 };
    throw error;
  }
  const lines: LedgerLine[] = [];
  let end = 0;
  for (let next = bytes.indexOf("\n") + 1; next > 0; next = bytes.indexOf("\n", end) + 1) {
    const line = readLine(bytes.toString("utf8", end, next));
    if (line === null) break;
    lines.push(line);
    end = next;
  }
  if (end < bytes.length) await truncate(path, end);
  return { lines, sizeBytes: end };
}

async function truncate(path: string, sizeBytes: number): Promise<void> {
  const file = await open(path, READ_WRITE);
  try {
    await file.truncate(sizeBytes);
  } finally {
    await file.close();
  }
}

function readLine(text: string): LedgerLine | null {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
