import {
  batchUnderLease,
  holds,
  LEASE_MS,
  type UploadLease,
} from "#service/archiver/upload-lease.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import type { ManualRow } from "./manual-row.ts";
import { publishUpload } from "./upload-events.ts";

const HISTORY_EVERY_MS = 30_000;
const HISTORY_LENGTH = 20;

export type ManualProgress = {
  note(safeOffset: number, receivedBytes: number): void;
  /** Renews the lease and shows progress until `signal` aborts. @throws {LeaseLost} */
  keepWriting(signal: AbortSignal): Promise<void>;
};

export function createManualProgress(
  { clock, database, hub, runtime }: Platform,
  upload: ManualRow,
  lease: UploadLease,
): ManualProgress {
  let safeOffset = upload.offset;
  let receivedBytes = 0;
  let shownBytes = 0;

  async function write(bytesPerSec: number | null): Promise<void> {
    const nowMs = clock.now();
    const progress = Math.min(99.9, (safeOffset / Math.max(1, upload.length)) * 100);
    const entry = sql`json_object('at', ${nowMs}, 'percentage', ${progress})`;
    const isArriving = receivedBytes > shownBytes;
    shownBytes = receivedBytes;
    await batchUnderLease(database, [
      sql`UPDATE uploads SET progress = ${progress}, speed_bytes_per_sec = ${bytesPerSec},
          segments_done = ${Math.floor(safeOffset / upload.part_size_bytes)},
          last_segment = ${Math.floor(safeOffset / upload.part_size_bytes)},
          last_segment_at = CASE WHEN ${isArriving ? 1 : 0} THEN ${nowMs} ELSE last_segment_at END,
          lease_until = ${nowMs + LEASE_MS}, version = version + 1, updated_at = ${nowMs}
        WHERE ${holds(lease)}`,
      sql`UPDATE uploads SET progress_history = json_insert(
          CASE WHEN json_array_length(progress_history) < ${HISTORY_LENGTH} THEN progress_history
            ELSE json_remove(progress_history, '$[0]') END, '$[#]', ${entry})
        WHERE ${holds(lease)}
          AND coalesce(json_extract(progress_history, '$[#-1].at'), 0) <= ${nowMs - HISTORY_EVERY_MS}`,
    ]);
    await publishUpload({ database, hub }, lease.uploadId);
  }

  return {
    note(safe, received) {
      safeOffset = safe;
      receivedBytes = received;
    },
    async keepWriting(signal) {
      await write(null);
      for (;;) {
        const before = { atMs: clock.monotonic(), bytes: receivedBytes };
        await clock.sleep(runtime.progressEveryMs, signal);
        if (signal.aborted) return;
        const seconds = Math.max(1, clock.monotonic() - before.atMs) / 1_000;
        await write((receivedBytes - before.bytes) / seconds);
      }
    },
  };
}
