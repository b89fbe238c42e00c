import * as z from "zod/mini";
import type { ServiceContext } from "./context.ts";
import { sql } from "./db/sql.ts";
import type { Database, Statement } from "./ports/database.ts";
import { API_LIMITS, requestText } from "./source/upstream-request.ts";

/**
 * Decides when old data may be removed. A wrong clock makes all of it look old, so nothing is removed
 * by a clock that nobody else confirmed. `deployment` holds the state, which no restart ends:
 *
 * - trusted → distrusted: the clock jumped in a running process, or since the last trusted time.
 * - distrusted → trusted: Twitch's clock agrees, or an administrator confirms it (system/system-routes.ts).
 */
export type ClockTrust = {
  /** Calls `remove` if the clock is trusted. */
  ifTrusted(remove: (nowMs: number) => Promise<void>): Promise<void>;
};

/** Far above what a time server corrects in a running process. */
const JUMP_MS = 10 * 60_000;

/** While no process runs, nothing is known of the clock; a longer pause is taken for a jump. */
const LONGEST_PAUSE_MS = 86_400_000;

/** Far below the longest pause. */
const WRITE_EVERY_MS = 3_600_000;

const ASK_EVERY_MS = 300_000;

/** Identity tokens tolerate no more (auth/identity-token.ts). */
const MAX_CLOCK_ERROR_MS = 300_000;

export function createClockTrust({
  platform: { clock, database, fetch, setup },
  settings,
}: Pick<ServiceContext, "platform" | "settings">): ClockTrust {
  /** Wall clock minus monotonic clock, when last looked at. */
  let offsetMs: number | null = null;
  let askedAtMs = -Infinity;
  let looking: Promise<number | null> | null = null;

  /** The time, if it is trusted. One look at a time: each compares with the one before. */
  async function look(): Promise<number | null> {
    const { trustedAtMs, distrustedAtMs } = await readClockTrust(database);
    const nowMs = clock.now();
    const aheadMs = nowMs - (trustedAtMs ?? nowMs);
    const nowOffsetMs = nowMs - clock.monotonic();
    const hasJumped =
      offsetMs === null
        ? aheadMs > LONGEST_PAUSE_MS || aheadMs < -JUMP_MS
        : Math.abs(nowOffsetMs - offsetMs) > JUMP_MS;
    if (hasJumped && distrustedAtMs === null)
      await database.run(sql`UPDATE deployment SET clock_distrusted_at = ${nowMs}`);
    offsetMs = nowOffsetMs;
    const isTrusted = !hasJumped && distrustedAtMs === null;
    if (!isTrusted && !(await hasConfirmation())) return null;
    if (!isTrusted || trustedAtMs === null || aheadMs >= WRITE_EVERY_MS)
      await database.run(trustClock(nowMs));
    return nowMs;
  }

  /** Asks Twitch. The store and the stand-in do not count: they may run by this very clock. */
  async function hasConfirmation(): Promise<boolean> {
    if (setup?.credentials === "none") return false;
    if (clock.monotonic() - askedAtMs < ASK_EVERY_MS) return false;
    askedAtMs = clock.monotonic();
    const url = `${settings.TWITCH_ID_URL}/oauth2/validate`;
    const answer = await requestText(fetch, "Twitch", url, {}, API_LIMITS, undefined).catch(
      () => null,
    );
    const date = Date.parse(answer?.headers.get("date") ?? "");
    return Math.abs(clock.now() - date) <= MAX_CLOCK_ERROR_MS;
  }

  return {
    async ifTrusted(remove) {
      looking ??= look().finally(() => {
        looking = null;
      });
      const nowMs = await looking;
      if (nowMs !== null) await remove(nowMs);
    },
  };
}

type ClockRecord = {
  readonly trustedAtMs: number | null;
  /** Null while the clock is trusted. */
  readonly distrustedAtMs: number | null;
};

const trustRow = z.object({
  clock_trusted_at: z.nullable(z.number()),
  clock_distrusted_at: z.nullable(z.number()),
});

export async function readClockTrust(database: Database): Promise<ClockRecord> {
  const [row] = await database.all(
    sql`SELECT clock_trusted_at, clock_distrusted_at FROM deployment`,
  );
  const { clock_trusted_at: trustedAtMs, clock_distrusted_at: distrustedAtMs } =
    trustRow.parse(row);
  return { trustedAtMs, distrustedAtMs };
}

/** Someone else says that it is `nowMs`. */
export function trustClock(nowMs: number): Statement {
  return sql`UPDATE deployment SET clock_trusted_at = ${nowMs}, clock_distrusted_at = NULL`;
}

/** The latest hour since when the service has run for so many hours; null if it never has. */
export async function findRunningSince(
  database: Database,
  hours: number,
  nowMs: number,
): Promise<number | null> {
  const [row] = await database.all(sql`
    SELECT at FROM (
      SELECT at FROM system_history WHERE kind = 'hour'
      UNION SELECT at / 3600000 * 3600000 FROM system_history WHERE kind = 'minute')
    WHERE at <= ${nowMs} ORDER BY at DESC LIMIT 1 OFFSET ${hours - 1}`);
  return row === undefined ? null : Number(row.at);
}
