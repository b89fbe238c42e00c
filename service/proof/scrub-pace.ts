import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

export const DAY_MS = 24 * 3_600_000;

/** A few per cent of the throughput of a disk or a bucket. */
const IDLE_BYTES_PER_SEC = 16 * 1024 * 1024;
/** While archives run: enough for 11 TB, since a round takes half of each minute. */
const BUSY_BYTES_PER_SEC = 4 * 1024 * 1024;

/** Condition on `files`: asked for, or unreadable lately. There is an index of these. */
export const IS_READ_FIRST = sql`coalesce(verify_asked_at, unreadable_since_at) IS NOT NULL`;

export type Pace = {
  /** Somebody asked for files, which come before all others. */
  readonly isAsked: boolean;
  /** The day's share for the time that has passed, minus the bytes read today. */
  readonly dueBytes: number;
  readonly bytesPerSec: number;
  /** Archives run, and go first. */
  readonly isBusy: boolean;
};

export async function readPace({ platform, settings }: ServiceContext): Promise<Pace> {
  const nowMs = platform.clock.now();
  const [row] = await platform.database.all(sql`
    SELECT (SELECT value FROM counters WHERE name = 'files.bytes') AS stored,
      (SELECT value FROM counters WHERE name = 'uploads.processing') AS running,
      (SELECT scrub_bytes FROM deployment WHERE scrub_day = ${dayOf(nowMs)}) AS done,
      EXISTS (SELECT 1 FROM files WHERE ${IS_READ_FIRST} AND verify_asked_at IS NOT NULL) AS asked`);
  const passed = (nowMs % DAY_MS) / DAY_MS;
  const share = settings.SCRUB_DAYS === 0 ? 0 : Number(row?.stored ?? 0) / settings.SCRUB_DAYS;
  const isBusy = Number(row?.running ?? 0) > 0;
  return {
    isAsked: row?.asked === 1,
    dueBytes: share * passed - Number(row?.done ?? 0),
    bytesPerSec: isBusy ? BUSY_BYTES_PER_SEC : IDLE_BYTES_PER_SEC,
    isBusy,
  };
}

/** Records the bytes read today. */
export function countRead(bytes: number, nowMs: number): Statement {
  const today = dayOf(nowMs);
  return sql`UPDATE deployment SET scrub_day = ${today},
    scrub_bytes = iif(scrub_day = ${today}, scrub_bytes, 0) + ${bytes}`;
}

function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS);
}
