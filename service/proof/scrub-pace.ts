import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

export const DAY_MS = 24 * 3_600_000;

/** A few per cent of the throughput of a disk or a bucket. */
const IDLE_BYTES_PER_SEC = 16 * 1024 * 1024;
/** While archives run: enough for 11 TB, since a round takes half of each minute. */
const BUSY_BYTES_PER_SEC = 4 * 1024 * 1024;

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
      (SELECT bytes FROM scrub_days WHERE day = ${Math.floor(nowMs / DAY_MS)}) AS done,
      EXISTS (SELECT 1 FROM file_checks WHERE asked_at IS NOT NULL) AS asked`);
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

/** Records the bytes read today; deletes earlier days. */
export function countRead(bytes: number, nowMs: number): readonly Statement[] {
  const today = Math.floor(nowMs / DAY_MS);
  return [
    sql`INSERT INTO scrub_days (day, bytes) VALUES (${today}, ${bytes})
      ON CONFLICT (day) DO UPDATE SET bytes = bytes + excluded.bytes`,
    sql`DELETE FROM scrub_days WHERE day < ${today}`,
  ];
}
