import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/** All bytes are read within this time, up to the limits of docs/scale.md#what-fills-up-first. */
const SCRUB_CYCLE_DAYS = 60;
export const DAY_MS = 24 * 3_600_000;

/** A few per cent of the throughput of a disk or a bucket. */
const IDLE_BYTES_PER_SEC = 16 * 1024 * 1024;
/** While archives run: enough for 11 TB, since a round takes half of each minute. */
const BUSY_BYTES_PER_SEC = 4 * 1024 * 1024;

/** `dueBytes` is the day's share for the time that has passed, minus the bytes read today. */
export async function readPace({
  platform,
}: ServiceContext): Promise<{ dueBytes: number; bytesPerSec: number }> {
  const nowMs = platform.clock.now();
  const [row] = await platform.database.all(sql`
    SELECT (SELECT value FROM counters WHERE name = 'files.bytes') AS stored,
      (SELECT value FROM counters WHERE name = 'uploads.processing') AS running,
      (SELECT bytes FROM scrub_days WHERE day = ${Math.floor(nowMs / DAY_MS)}) AS done`);
  const passed = (nowMs % DAY_MS) / DAY_MS;
  return {
    dueBytes: (Number(row?.stored ?? 0) / SCRUB_CYCLE_DAYS) * passed - Number(row?.done ?? 0),
    bytesPerSec: Number(row?.running ?? 0) > 0 ? BUSY_BYTES_PER_SEC : IDLE_BYTES_PER_SEC,
  };
}

/** Records the bytes read today; deletes days before this cycle. */
export function countRead(bytes: number, nowMs: number): readonly Statement[] {
  const today = Math.floor(nowMs / DAY_MS);
  return [
    sql`INSERT INTO scrub_days (day, bytes) VALUES (${today}, ${bytes})
      ON CONFLICT (day) DO UPDATE SET bytes = bytes + excluded.bytes`,
    sql`DELETE FROM scrub_days WHERE day < ${today - SCRUB_CYCLE_DAYS}`,
  ];
}
