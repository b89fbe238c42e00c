import type { UploadId } from "#contract/ids.ts";
import type { Upload } from "#contract/upload.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { dueUploads } from "#service/storage/lease.ts";
import { isLeasedAt } from "#service/storage/upload-row.ts";

/** Further back no place is worth the reading, which each open monitor repeats every 2 s. */
const MOST_PLACED = 1_000;

/**
 * The queue holds what it may not start for 15 s at a time, with the reason. Between two such times
 * the reason still holds.
 */
const REASON_LASTS_MS = 10_000;

/** The archives that wait for a slot, in the order in which the archiver starts them. */
export type Queue = {
  readonly order: readonly UploadId[];
  /** Tells the archives among `uploads` that wait for a slot their place; others keep their reason. */
  place(uploads: readonly Upload[]): Upload[];
};

export async function readQueue(platform: Platform): Promise<Queue> {
  const nowMs = platform.clock.now();
  const [order, [found]] = await Promise.all([
    dueUploads(platform, null, MOST_PLACED),
    platform.database.all(sql`SELECT count(*) AS running FROM uploads u
      WHERE u.status = 'processing' AND u.kind <> 'manual' AND ${isLeasedAt(nowMs)}`),
  ]);
  const places = new Map(order.map((id, index) => [id, index + 1]));
  const waiting =
    order.length < MOST_PLACED ? String(order.length) : `more than ${MOST_PLACED - 1}`;
  const why = reasonOf(platform, Number(found?.running ?? 0));
  return {
    order,
    place: (uploads) =>
      uploads.map((upload) => {
        const place = places.get(upload.id);
        if (place === undefined || !waitsForSlot(upload, nowMs)) return upload;
        const errorMessage = `Waiting, place ${place} of ${waiting}: ${why}.`;
        return { ...upload, queuePlace: place, errorMessage };
      }),
  };
}

/** {@link Queue.place}, for a page that may hold no waiting archive. */
export async function withPlaces(platform: Platform, uploads: Upload[]): Promise<Upload[]> {
  const waits = uploads.some((upload) => waitsForSlot(upload, platform.clock.now()));
  return waits ? (await readQueue(platform)).place(uploads) : uploads;
}

function waitsForSlot({ kind, status, phase, nextAttemptAt }: Upload, nowMs: number): boolean {
  const isWaiting = status === "pending" || (status === "processing" && phase === "waiting");
  const dueForMs = nextAttemptAt === null ? Infinity : nowMs - Date.parse(nextAttemptAt);
  return kind !== "manual" && isWaiting && dueForMs > REASON_LASTS_MS;
}

/** A host of several processes does not know the number of its slots. */
function reasonOf({ runtime }: Platform, running: number): string {
  const slots = runtime.isSoleWriter ? runtime.archiveConcurrency : null;
  if (running === 0 || (slots !== null && running < slots)) return "a slot is free, it starts soon";
  if (slots === null) return "all slots are busy";
  if (slots === 1) return "the only slot is busy";
  return slots === 2 ? "both slots are busy" : `all ${slots} slots are busy`;
}
