import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import type { ProbeResult } from "./health-store.ts";

/**
 * An archive that waits this long with no runner is late; after much longer, the queue is stuck.
 */
const LATE_AFTER_MS = 120_000;
const STUCK_AFTER_MS = 900_000;

/** Maximum count, so that a long queue is not read every few seconds. */
const MOST_COUNTED = 1_000;

/**
 * Whether due archives are picked up. The database is checked instead of the queue's messages:
 * while other archives are being copied, the queue works, however long one waits.
 * @throws when archives wait and none is picked up
 */
export async function probeQueue({
  platform: { queue, clock, database, runtime },
}: Pick<ServiceContext, "platform">): Promise<ProbeResult> {
  if ((await queue.backlog()) === null)
    return { status: "unknown", detail: "This queue cannot report what is waiting." };
  const nowMs = clock.now();
  const { waiting, oldestAt } = await readWaiting(database, nowMs);
  if (waiting === 0) return { status: "healthy", detail: null };
  const { running, stalled } = await readRunning(database, nowMs);
  const count = waiting === MOST_COUNTED ? `${MOST_COUNTED} or more` : String(waiting);
  if (running > stalled)
    return { status: "healthy", detail: `${count} waiting, all slots are busy.` };
  if (running > 0)
    return { status: "degraded", detail: `${count} waiting, all slots are stalled.` };
  // While the only process was down, nothing could take them.
  const upSinceMs = runtime.isSoleWriter ? runtime.startedAt.getTime() : 0;
  const waitedMs = nowMs - Math.max(oldestAt ?? nowMs, upSinceMs);
  const detail = `${count} waiting, the oldest for ${Math.round(waitedMs / 60_000)} minutes; no worker picks them up.`;
  if (waitedMs > STUCK_AFTER_MS) throw new Error(detail);
  return waitedMs > LATE_AFTER_MS
    ? { status: "degraded", detail }
    : { status: "healthy", detail: null };
}

const waitingRow = z.object({ waiting: z.number(), oldest_at: z.nullable(z.number()) });

/** Archives that are due and have no runner. */
export async function readWaiting(
  database: Database,
  nowMs: number,
): Promise<{ waiting: number; oldestAt: number | null }> {
  const [row] = await database.all(sql`
    SELECT count(*) AS waiting, min(since_at) AS oldest_at FROM (
      SELECT max(updated_at, ifnull(next_attempt_at, 0), ifnull(lease_until, 0)) AS since_at
      FROM uploads
      WHERE status IN ('pending', 'processing') AND kind <> 'manual'
        AND ifnull(next_attempt_at, 0) <= ${nowMs} AND ifnull(lease_until, 0) <= ${nowMs}
      LIMIT ${MOST_COUNTED})`);
  const { waiting, oldest_at: oldestAt } = waitingRow.parse(row);
  return { waiting, oldestAt };
}

const runningRow = z.object({ running: z.number(), stalled: z.number() });

async function readRunning(
  database: Database,
  nowMs: number,
): Promise<{ running: number; stalled: number }> {
  const [row] = await database.all(sql`
    SELECT count(*) AS running, count(stalled_at) AS stalled
    FROM uploads WHERE status = 'processing' AND lease_until > ${nowMs}`);
  return runningRow.parse(row);
}
