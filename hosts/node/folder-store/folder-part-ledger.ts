import { appendFile, readFile, truncate } from "node:fs/promises";
import * as z from "zod/mini";
import { fileErrorCode } from "../file-error.ts";

/**
 * Which parts of a multipart upload the folder holds: a file with one JSON line for each change,
 * the last line of a part number counting. A line is written only after the part's bytes have been
 * written and read back, and an old line is revoked before its bytes are overwritten, so that a
 * process killed anywhere leaves no line that claims bytes which are not there.
 */
const storedSchema = z.object({
  partNumber: z.number(),
  sizeBytes: z.number(),
  tag: z.string(),
  /** Where in the content it begins; null: it has a file of its own. */
  offset: z.nullable(z.number()),
  /** The start of the machine during which the bytes were written: see {@link PartRecord}. */
  boot: z.string(),
});
const revokedSchema = z.object({ revoked: z.number() });
const partSizeSchema = z.object({ partSizeBytes: z.number() });
const lineSchema = z.union([storedSchema, revokedSchema, partSizeSchema]);

/**
 * A part as recorded. Bytes written during an earlier start of the machine may never have reached
 * the disk (a power cut), so such parts are read again before the object is put together.
 */
export type PartRecord = z.infer<typeof storedSchema>;

export type PartLedger = {
  readonly parts: ReadonlyMap<number, PartRecord>;
  /** What the places of the parts are computed with; settled by the first part received. */
  partSizeBytes(ofThisPart: number): Promise<number>;
  record(part: PartRecord): Promise<void>;
  revoke(partNumber: number): Promise<void>;
};

export async function openPartLedger(path: string): Promise<PartLedger> {
  const parts = new Map<number, PartRecord>();
  let partSize: Promise<number> | null = null;
  for (const line of await readWholeLines(path)) {
    const parsed = lineSchema.parse(JSON.parse(line));
    if ("revoked" in parsed) parts.delete(parsed.revoked);
    else if ("partSizeBytes" in parsed) partSize = Promise.resolve(parsed.partSizeBytes);
    else parts.set(parsed.partNumber, parsed);
  }
  const append = (line: z.infer<typeof lineSchema>): Promise<void> =>
    appendFile(path, `${JSON.stringify(line)}\n`);
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
      if (!parts.has(partNumber)) return;
      await append({ revoked: partNumber });
      parts.delete(partNumber);
    },
  };
}

/** A line cut short by a full disk or a crash is taken off: it was never confirmed to anyone. */
async function readWholeLines(path: string): Promise<readonly string[]> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return [];
    throw error;
  }
  const end = bytes.lastIndexOf("\n") + 1;
  if (end < bytes.length) await truncate(path, end);
  return bytes
    .toString("utf8", 0, end)
    .split("\n")
    .filter((line) => line !== "");
}
