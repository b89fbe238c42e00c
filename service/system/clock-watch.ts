import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/**
 * Detects that the machine's clock was set, or that the machine slept, and corrects the times
 * written before: uploads keep their idle time, and no wait depends on the old clock. A retry that
 * becomes due early does no harm.
 */
export type ClockWatch = {
  /** Call every few seconds. */
  follow(): Promise<void>;
};

/** Waits last seconds to hours, so smaller steps are harmless. */
const NOTICED_STEP_MS = 30_000;

/** No wait is longer than a day (retry-after.ts, manual-checkpoint.ts). */
const LONGEST_WAIT_MS = 25 * 3_600_000;

/** Marks a row that never becomes due, such as those of seeded data; it is not corrected. */
export const NEVER_MS = Date.UTC(2100, 0, 1);

/** Columns with the time of the next step, of rows that are waiting. */
const WAITS: readonly { table: Statement; column: Statement; where: Statement }[] = [
  {
    table: sql`uploads`,
    column: sql`next_attempt_at`,
    where: sql`status IN ('pending', 'processing')`,
  },
  {
    table: sql`uploads`,
    column: sql`lease_until`,
    where: sql`status IN ('pending', 'processing')`,
  },
  { table: sql`store_removals`, column: sql`not_before_at`, where: sql`TRUE` },
  {
    table: sql`notification_deliveries`,
    column: sql`next_attempt_at`,
    where: sql`status = 'pending'`,
  },
  { table: sql`store_scan`, column: sql`next_at`, where: sql`TRUE` },
  { table: sql`unreadable_files`, column: sql`retry_at`, where: sql`TRUE` },
];

const IS_BEING_SENT = sql`kind = 'manual' AND status IN ('pending', 'processing')`;

export function createClockWatch({ platform, log }: ServiceContext): ClockWatch {
  const { clock, database, runtime } = platform;
  let last: { readonly nowMs: number; readonly monotonicMs: number } | null = null;

  return {
    async follow() {
      // Where several processes share a database, their platform keeps the clock right.
      if (!runtime.isSoleWriter) return;
      const nowMs = clock.now();
      const monotonicMs = clock.monotonic();
      const stepMs =
        last === null ? 0 : Math.round(nowMs - last.nowMs - (monotonicMs - last.monotonicMs));
      if (last === null) await database.batch(cap(nowMs));
      else if (Math.abs(stepMs) >= NOTICED_STEP_MS) {
        const move = stepMs > 0 ? setForward(stepMs, nowMs - stepMs) : setBack(stepMs, nowMs);
        await database.batch([...move, ...cap(nowMs)]);
        log.warn("The machine's clock was set; what was written by it was set right", {
          bySeconds: Math.round(stepMs / 1_000),
        });
      }
      last = { nowMs, monotonicMs };
    },
  };
}

/**
 * Idle time counts from the last change. Rows changed after the step, or more than LONGEST_WAIT_MS
 * before it, stay as they are.
 */
function setForward(stepMs: number, beforeMs: number): readonly Statement[] {
  return [
    sql`UPDATE uploads SET updated_at = updated_at + ${stepMs}
      WHERE ${IS_BEING_SENT}
        AND updated_at BETWEEN ${beforeMs - LONGEST_WAIT_MS} AND ${beforeMs}`,
  ];
}

function setBack(stepMs: number, nowMs: number): readonly Statement[] {
  return [
    sql`UPDATE uploads SET updated_at = ${nowMs}
      WHERE ${IS_BEING_SENT} AND updated_at > ${nowMs}`,
    ...WAITS.map(
      ({ table, column, where }) => sql`
        UPDATE ${table} SET ${column} = ${column} + ${stepMs}
        WHERE ${where} AND ${column} > ${nowMs} AND ${column} < ${NEVER_MS}`,
    ),
  ];
}

function cap(nowMs: number): readonly Statement[] {
  const latestMs = nowMs + LONGEST_WAIT_MS;
  return [
    ...WAITS.map(
      ({ table, column, where }) => sql`
        UPDATE ${table} SET ${column} = ${nowMs}
        WHERE ${where} AND ${column} > ${latestMs} AND ${column} < ${NEVER_MS}`,
    ),
    sql`UPDATE manual_uploads SET expires_at = ${latestMs} WHERE expires_at > ${latestMs}`,
  ];
}
