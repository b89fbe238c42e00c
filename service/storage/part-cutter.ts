import type { BufferPool } from "./buffer-pool.ts";

/** Position of the next byte: `offset` in unit `unit`. */
export type Cursor = { readonly unit: number; readonly offset: number };

/** What the object contains of a finished unit. */
export type StoredUnit = {
  readonly sizeBytes: number;
  /**
   * The source no longer has the unit. Its bytes, if any, are the beginning that was stored before
   * it disappeared; no playlist points at them.
   */
  readonly isMissing: boolean;
};

/** A part ready to be stored, with what a later run needs to continue after it. */
export type CutPart = {
  readonly partNumber: number;
  readonly bytes: Uint8Array;
  readonly buffer: Uint8Array;
  readonly end: Cursor;
  /** Total size of unit `end.unit`; null when the part ended with a unit. */
  readonly endUnitSizeBytes: number | null;
  /** The units that ended in this part, in order. */
  readonly finishedUnits: readonly StoredUnit[];
};

export type PartCutter = {
  /**
   * Adds the next unit; null if it is gone. Resolves once all bytes are copied, so that `bytes` may
   * be reused.
   */
  add(bytes: Uint8Array | null): Promise<void>;
  /** Emits the last, shorter part, if any bytes are left over. */
  finish(): Promise<void>;
  /** Position of the copy, including bytes that are not yet in a full part. */
  readonly cursor: Cursor;
  /** The units that ended since the last full part. */
  readonly unsealedUnits: readonly StoredUnit[];
  /** Returns the unfinished part's buffer to the pool. */
  discard(): void;
};

/**
 * Cuts the concatenated units into parts of one size. Only the last part may be shorter, as R2
 * requires.
 */
export function createPartCutter(options: {
  readonly partSizeBytes: number;
  readonly start: Cursor;
  readonly firstPartNumber: number;
  readonly pool: BufferPool;
  /** Takes over the part's buffer; resolves when the next part may be cut. */
  readonly emit: (part: CutPart) => Promise<void>;
}): PartCutter {
  const { partSizeBytes, pool } = options;
  let unit = options.start.unit;
  let offset = options.start.offset;
  let partNumber = options.firstPartNumber;
  let buffer: Uint8Array | null = null;
  let filled = 0;
  let unitSizeBytes = 0;
  let finished: StoredUnit[] = [];

  async function seal(): Promise<void> {
    if (buffer === null) return;
    const part: CutPart = {
      partNumber,
      bytes: buffer.subarray(0, filled),
      buffer,
      end: { unit, offset },
      endUnitSizeBytes: offset === 0 ? null : unitSizeBytes,
      finishedUnits: finished,
    };
    partNumber += 1;
    buffer = null;
    filled = 0;
    finished = [];
    await options.emit(part);
  }

  return {
    async add(bytes) {
      if (bytes === null) {
        finished.push({ sizeBytes: offset, isMissing: true });
        unit += 1;
        offset = 0;
        return;
      }
      unitSizeBytes = bytes.byteLength;
      while (offset < bytes.byteLength) {
        buffer ??= pool.take(partSizeBytes);
        const count = Math.min(partSizeBytes - filled, bytes.byteLength - offset);
        buffer.set(bytes.subarray(offset, offset + count), filled);
        filled += count;
        offset += count;
        if (offset === bytes.byteLength) break;
        await seal();
      }
      finished.push({ sizeBytes: bytes.byteLength, isMissing: false });
      unit += 1;
      offset = 0;
      if (filled === partSizeBytes) await seal();
    },
    async finish() {
      await seal();
    },
    get cursor() {
      return { unit, offset };
    },
    get unsealedUnits() {
      return finished;
    },
    discard() {
      if (buffer !== null) pool.give(buffer);
      buffer = null;
    },
  };
}
