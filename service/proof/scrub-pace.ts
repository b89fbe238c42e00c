import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { isDue, SOLE } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";

export const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

/** A few per cent of the throughput of a disk or a bucket. */
const IDLE_BYTES_PER_SEC = 16 * 1024 * 1024;
/** While archives run: enough for 11 TB, since a round takes half of each minute. */
const BUSY_BYTES_PER_SEC = 4 * 1024 * 1024;

export type Pace = {
  /** Somebody asked then to have everything read; null once it is. */
  readonly askedAtMs: number | null;
  /** A file that is to be read first is due. */
  readonly hasFileFirst: boolean;
  /** The day's share for the time that has passed, minus the bytes read today. */
  readonly dueBytes: number;
  /** When some of the share is due again, by what is stored now: within the hour. */
  readonly nextAtMs: number;
  readonly bytesPerSec: number;
  /** Archives run, and go first. */
  readonly isBusy: boolean;
};

const paceRow = z.object({
  stored: z.nullable(z.number()),
  running: z.nullable(z.number()),
  done: z.nullable(z.number()),
  asked: z.nullable(z.number()),
  first: z.number(),
});

export async function readPace({ platform, settings }: ServiceContext): Promise<Pace> {
  const nowMs = platform.clock.now();
  const [row] = await platform.database.all(sql`
    SELECT (SELECT value FROM counters WHERE name = 'files.bytes') AS stored,
      (SELECT value FROM counters WHERE name = 'uploads.processing') AS running,
      (SELECT scrub_bytes FROM deployment WHERE scrub_day = ${dayOf(nowMs)}) AS done,
      (SELECT verify_before_at FROM deployment) AS asked,
      EXISTS (SELECT 1 FROM jobs
        WHERE kind = 'verify' AND key <> ${SOLE} AND ${isDue(nowMs)}) AS first`);
  const { stored, running, done, asked, first } = paceRow.parse(row);
  const passed = (nowMs % DAY_MS) / DAY_MS;
  const share = settings.SCRUB_DAYS === 0 ? 0 : (stored ?? 0) / settings.SCRUB_DAYS;
  const dueMs = dayOf(nowMs) * DAY_MS + ((done ?? 0) / share) * DAY_MS;
  const isBusy = (running ?? 0) > 0;
  return {
    askedAtMs: asked,
    hasFileFirst: first === 1,
    dueBytes: share * passed - (done ?? 0),
    nextAtMs: Math.floor(dueMs > nowMs ? Math.min(dueMs, nowMs + HOUR_MS) : nowMs + HOUR_MS),
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
