import { appendFile, open, readFile } from "node:fs/promises";
import * as z from "zod/mini";
import { fileErrorCode } from "../file-error.ts";
import { APPEND, READ, READ_WRITE } from "./open-flags.ts";

/**
 * Records which parts of a multipart upload are stored: a file with one JSON line per change, in
 * which the last line of a part number counts. A line is synced after the bytes it describes, and
 * revoked by a synced line before those bytes are overwritten: neither a kill nor a power cut
 * leaves a line without its bytes.
 */
const storedSchema = z.object({
  partNumber: z.number(),
  sizeBytes: z.number(),
  tag: z.string(),
  /** The size of all parts but the last, which gives this one its place in the content. */
  partSizeBytes: z.number(),
});
const revokedSchema = z.object({ revoked: z.number() });
/** Earlier versions wrote the part size once, and each part's place in the content, if it had one. */
const placedSchema = z.object({
  ...z.omit(storedSchema, { partSizeBytes: true }).shape,
  offset: z.nullable(z.number()),
});
const partSizeSchema = z.object({ partSizeBytes: z.number() });
const lineSchema = z.union([storedSchema, revokedSchema, placedSchema, partSizeSchema]);
type ReadLine = z.infer<typeof lineSchema>;
type LedgerLine = z.infer<typeof storedSchema | typeof revokedSchema>;

/** A part as recorded. */
export type PartRecord = z.infer<typeof storedSchema>;

export type PartLedger = {
  readonly parts: ReadonlyMap<number, PartRecord>;
  /**
   * The declared part size, or that of the first part that was uploaded. Call with each part's size,
   * in their order.
   */
  partSizeBytes(ofThisPart: number): number;
  record(part: PartRecord): Promise<void>;
  /** After this, the part's bytes may be overwritten. */
  revoke(partNumber: number): Promise<void>;
};

export async function openPartLedger(
  path: string,
  declaredPartSizeBytes: number | null,
): Promise<PartLedger> {
  const parts = new Map<number, PartRecord>();
  let partSizeBytes = declaredPartSizeBytes;
  const { lines, sizeBytes } = await readLines(path);
  for (const line of lines) {
    if ("revoked" in line) parts.delete(line.revoked);
    else {
      if ("partSizeBytes" in line) ({ partSizeBytes } = line);
      if (!("partNumber" in line)) continue;
      if ("partSizeBytes" in line) parts.set(line.partNumber, line);
      else if (line.offset !== null && partSizeBytes !== null)
        parts.set(line.partNumber, { ...line, partSizeBytes });
    }
  }

  const append = createAppender(path, sizeBytes);
  return {
    parts,
    partSizeBytes(ofThisPart) {
      partSizeBytes ??= ofThisPart;
      return partSizeBytes;
    },
    async record(part) {
      await append(part);
      parts.set(part.partNumber, part);
    },
    async revoke(partNumber) {
      if (parts.delete(partNumber)) await append({ revoked: partNumber });
    },
  };
}

type Append = (line: LedgerLine) => Promise<void>;

/** Lines reach the disk in call order, whole or not at all. */
function createAppender(path: string, presentBytes: number): Append {
  let sizeBytes = presentBytes;
  let last: Promise<void> = Promise.resolve();

  async function write(text: string): Promise<void> {
    try {
      await appendFile(path, text, { flush: true, flag: APPEND });
      sizeBytes += Buffer.byteLength(text);
    } catch (error) {
      await truncate(path, sizeBytes).catch(() => undefined);
      throw error;
    }
  }

  return (line) => {
    const text = `${JSON.stringify(line)}\n`;
    const writing = last.catch(() => undefined).then(() => write(text));
    last = writing;
    return writing;
  };
}

/**
 * Reads the valid lines from the start. A full disk or a crash may cut the last line short, and a
 * power cut may leave zeros in place of lines. The rest is truncated, and its parts are stored
 * again.
 */
async function readLines(path: string): Promise<{ lines: readonly ReadLine[]; sizeBytes: number }> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path, { flag: READ });
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return { lines: [], sizeBytes: 0 };
    throw error;
  }
  const lines: ReadLine[] = [];
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

function readLine(text: string): ReadLine | null {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
