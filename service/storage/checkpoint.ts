import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
import { batchUnderLease, type UploadLease } from "./lease.ts";
import { planPieceRemovals } from "./store-removals.ts";
import * as z from "zod/mini";

/** Position of the next byte: `offset` in unit `unit`. */
export type Cursor = { readonly unit: number; readonly offset: number };

/** Why a unit cannot be stored: the source no longer has it, or has only damaged bytes of it. */
export type UnitGap = "missing" | "damaged";

/** What the object contains of a finished unit. */
export type StoredUnit = {
  readonly sizeBytes: number;
  /**
   * The unit is a gap. Its bytes, if any, are the beginning that was stored before it disappeared;
   * no playlist points at them.
   */
  readonly isMissing: boolean;
  /** The gap is damage at the source. */
  readonly isDamaged?: true | undefined;
};

/** A gap of which `sizeBytes` had been stored. */
export function gapUnit(gap: UnitGap, sizeBytes: number): StoredUnit {
  return { sizeBytes, isMissing: true, ...(gap === "damaged" ? { isDamaged: true } : {}) };
}

/**
 * When a part ends inside a unit, the next run fetches that unit again and must get the same one:
 * the same size, and the same bytes just before the cursor. Muting, re-encoding and re-cutting
 * change both. Hashing the whole unit at every part would add half the cost of the parts' digests.
 */
export type Overlap = { readonly unitSizeBytes: number; readonly sha256: string };

/** Number of bytes before the cursor to compare, or fewer if the unit or the part has fewer. */
export const OVERLAP_BYTES = 256 * 1024;

/**
 * The checkpoint is one row for each part that the store has confirmed. A copy continues at
 * `end_offset` of unit `end_unit` of the last part.
 */
export type ConfirmedPart = {
  readonly partNumber: number;
  readonly tag: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly end: Cursor;
  /** Identifies unit `end.unit` when the copy continues; null if the part ended with a unit. */
  readonly overlap: Overlap | null;
  readonly finishedUnits: readonly StoredUnit[];
};

const partRow = z.object({
  part_number: z.number(),
  tag: z.string(),
  size_bytes: z.number(),
  sha256: z.string(),
  end_unit: z.number(),
  end_offset: z.number(),
  end_unit_size: z.nullable(z.number()),
  end_overlap_sha256: z.nullable(z.string()),
  finished_units: z.string(),
});

export const storedUnitSchema = z.object({
  sizeBytes: z.number(),
  isMissing: z.boolean(),
  isDamaged: z.optional(z.literal(true)),
});

const finishedUnits = z.array(storedUnitSchema);

/** In order; the list ends at a gap in the part numbers, because later parts cannot be used. */
export async function readCheckpoint(
  database: Database,
  uploadId: string,
): Promise<readonly ConfirmedPart[]> {
  const rows = await database.all(sql`
    SELECT part_number, tag, size_bytes, sha256, end_unit, end_offset, end_unit_size,
      end_overlap_sha256, finished_units
    FROM upload_parts WHERE upload_id = ${uploadId} ORDER BY part_number`);
  const parts = rows.map(readPart);
  const gap = parts.findIndex((part, index) => part.partNumber !== index + 1);
  return gap < 0 ? parts : parts.slice(0, gap);
}

function readPart(row: Row): ConfirmedPart {
  const part = partRow.parse(row);
  return {
    partNumber: part.part_number,
    tag: part.tag,
    sizeBytes: part.size_bytes,
    sha256: part.sha256,
    end: { unit: part.end_unit, offset: part.end_offset },
    overlap:
      part.end_unit_size === null || part.end_overlap_sha256 === null
        ? null
        : { unitSizeBytes: part.end_unit_size, sha256: part.end_overlap_sha256 },
    finishedUnits: finishedUnits.parse(JSON.parse(part.finished_units)),
  };
}

/**
 * Statements for {@link batchUnderLease} that record parts. A stored part ends a stall or a wait, so
 * the row's stall and error are cleared.
 */
export function recordCheckpoint(
  { uploadId }: UploadLease,
  parts: readonly ConfirmedPart[],
  storedBytes: number,
  atMs: number,
): readonly Statement[] {
  return [
    sql`UPDATE uploads SET stored_bytes = ${storedBytes}, attempts = 0, phase = 'copying',
        stalled_at = NULL, stall_reason = NULL, error_message = NULL, failure_class = NULL
      WHERE id = ${uploadId}`,
    ...parts.map(
      (
        part,
      ) => sql`INSERT OR REPLACE INTO upload_parts (upload_id, part_number, tag, size_bytes, sha256,
        end_unit, end_offset, end_unit_size, end_overlap_sha256, finished_units)
      VALUES (${uploadId}, ${part.partNumber}, ${part.tag}, ${part.sizeBytes}, ${part.sha256},
        ${part.end.unit}, ${part.end.offset}, ${part.overlap?.unitSizeBytes ?? null},
        ${part.overlap?.sha256 ?? null}, ${JSON.stringify(part.finishedUnits)})`,
    ),
    sql`UPDATE files SET size_bytes = ${storedBytes}, last_modified_at = ${atMs}
      WHERE upload_id = ${uploadId} AND upload_type = 'chunk'`,
  ];
}

/** The parts of one upload that the store has confirmed. Some of them are not on record yet. */
export type Checkpoint = {
  /** All parts, in order. */
  readonly parts: readonly ConfirmedPart[];
  add(part: ConfirmedPart): void;
  unrecordedBytes(): number;
  /** Records the parts that are not on record yet. Not to be called twice at a time. @throws {LeaseLost} */
  record(): Promise<void>;
};

/** @param recorded the parts on record */
export function createCheckpoint(
  { database, clock }: Platform,
  lease: UploadLease,
  recorded: readonly ConfirmedPart[],
): Checkpoint {
  const parts = [...recorded];
  let recordedParts = parts.length;
  return {
    parts,
    add: (part) => void parts.push(part),
    unrecordedBytes: () => sizeOfParts(parts.slice(recordedParts)),
    async record() {
      const unrecorded = parts.slice(recordedParts);
      if (unrecorded.length === 0) return;
      const nowMs = clock.now();
      const storedBytes = sizeOfParts(parts);
      await batchUnderLease(database, lease, [
        ...recordCheckpoint(lease, unrecorded, storedBytes, nowMs),
        // The bytes of an unsealed part are now in a part.
        ...planPieceRemovals(
          sql`upload_id = ${lease.uploadId} AND start_offset < ${storedBytes}`,
          nowMs,
        ),
      ]);
      recordedParts += unrecorded.length;
    },
  };
}

/** Deletes the records of the parts from `firstPartNumber` on; they will be stored again. */
export function forgetParts(
  { uploadId }: UploadLease,
  firstPartNumber: number,
  storedBytes: number,
): readonly Statement[] {
  return [
    sql`UPDATE uploads SET stored_bytes = ${storedBytes} WHERE id = ${uploadId}`,
    sql`DELETE FROM upload_parts
      WHERE upload_id = ${uploadId} AND part_number >= ${firstPartNumber}`,
  ];
}

/** The units that end in the confirmed parts, in the order of the plan. */
export function storedUnits(parts: readonly ConfirmedPart[]): StoredUnit[] {
  return parts.flatMap((part) => [...part.finishedUnits]);
}

export function sizeOfParts(parts: readonly ConfirmedPart[]): number {
  return parts.reduce((sum, part) => sum + part.sizeBytes, 0);
}
