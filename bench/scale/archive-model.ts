import { SLICE } from "#hosts/cloudflare/slice.ts";
import { choosePartSizeFor, ESTIMATE_MARGIN } from "#service/archiver/archive-multipart.ts";
import { CLASS_A_BESIDE_PARTS } from "#service/costs/archive-cost.ts";
import { OPERATIONS_PER_MESSAGE } from "#service/costs/meter-platform.ts";
import { NO_USAGE, type Usage } from "#service/costs/usage.ts";
import { ASSUMED } from "./platform-limits.ts";

/** The archive that all figures are for: four hours of Twitch's best quality. */
const DURATION_SEC = 4 * 3_600;
const BITS_PER_SEC = 6e6;
const SEGMENT_SEC = 10;

const SIZE_BYTES = (DURATION_SEC * BITS_PER_SEC) / 8;

/**
 * Rows as D1 bills them, indexes and triggers included, as its `meta` counted in the local runtime
 * before migration 0010; each entry in an index that it added counts one.
 */
const ROWS = {
  /** When it is put on record, and when the archive's end takes it off again. */
  perPart: 2,
  /** Of the upload, its unfinished file, that file's counts and indexes: 28 with eight parts. */
  perCheckpoint: 20,
  perProgress: 1,
  /** Creation, states, the finished file, search indexes, audit, notification: 579 in all for 34 parts. */
  perArchive: 208,
} as const;

/** Hashing and all the rest, as measured: "workerd" in bench/ledger.json. */
const CPU_MS_PER_MB = 2.6;

/** What storing one archive takes, with the part size that the engine chooses or with another. */
export function modelArchive(partBytes: number) {
  const copySec = SIZE_BYTES / ASSUMED.sliceBytesPerSec;
  const parts = Math.ceil(SIZE_BYTES / partBytes);
  const slices = Math.ceil(copySec / (SLICE.sliceMs / 1_000));
  const checkpoints = Math.ceil(SIZE_BYTES / SLICE.checkpointBytes);
  const progressWrites = Math.ceil(copySec / (SLICE.progressEveryMs / 1_000));
  // Taking and giving back each slice's lease, opening it; then plan, proof and end.
  const writesBeside = 3 * slices + 10;
  const databaseWrites = checkpoints + progressWrites + writesBeside;
  const usage: Usage = {
    ...NO_USAGE,
    workerRequests: slices,
    workerCpuMs: (SIZE_BYTES / 1e6) * CPU_MS_PER_MB,
    // Each progress is published to the live hub.
    durableObjectRequests: progressWrites,
    classAOperations: parts + CLASS_A_BESIDE_PARTS,
    rowsWritten:
      ROWS.perArchive +
      parts * ROWS.perPart +
      checkpoints * ROWS.perCheckpoint +
      progressWrites * ROWS.perProgress,
    // Each write looks its row up; each slice reads the parts on record, half of them on average.
    rowsRead: 2 * databaseWrites + (slices * parts) / 2,
    // The sweeper and the slice before may both wake the next one.
    queueOperations: 2 * slices * OPERATIONS_PER_MESSAGE,
  };
  return {
    sizeBytes: SIZE_BYTES,
    segments: DURATION_SEC / SEGMENT_SEC,
    partBytes,
    parts,
    copySec,
    slices,
    checkpoints,
    progressWrites,
    writesBeside,
    databaseWrites,
    usage,
  };
}

export const ARCHIVE = modelArchive(choosePartSizeFor(SIZE_BYTES * ESTIMATE_MARGIN));

/** What playing it once from start to end uses: a request, and a read of R2, for each segment. */
export const PLAY_USAGE: Usage = {
  ...NO_USAGE,
  workerRequests: ARCHIVE.segments,
  classBOperations: ARCHIVE.segments,
  workerCpuMs: ARCHIVE.segments * 2,
  // Grant and file are looked up for each.
  rowsRead: ARCHIVE.segments * 2,
};

/** Bytes in the database; `scale.test.ts` measures them anew on the schema. */
export const ROW_BYTES = { archive: 4_300, user: 900 } as const;
