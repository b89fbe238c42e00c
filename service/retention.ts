import { sql } from "./db/sql.ts";
import type { Platform } from "./platform.ts";

/**
 * Decides when old data may be removed. A wrong clock makes all of it look old, so nothing is
 * removed within an hour of a jump: time for a time server or an operator to correct it.
 */
export type Retention = {
  /** Calls `remove`, unless the clock has jumped within the last hour. */
  run(remove: (nowMs: number) => Promise<void>): Promise<void>;
};

const DISTRUST_MS = 3_600_000;

/** Far above what a time server corrects in a running process. */
const JUMP_MS = 10 * 60_000;

/** While no process runs, nothing is recorded; a longer pause is taken for a jump. */
const LONGEST_PAUSE_MS = 86_400_000;

export function createRetention({
  clock,
  database,
}: Pick<Platform, "clock" | "database">): Retention {
  /** Wall clock minus monotonic clock, when last looked at. */
  let offsetMs: number | null = null;
  let jumpedAtMs = -Infinity;

  async function hasJumped(nowOffsetMs: number): Promise<boolean> {
    if (offsetMs !== null) return Math.abs(nowOffsetMs - offsetMs) > JUMP_MS;
    const [newest] = await database.all(sql`SELECT at FROM audit ORDER BY seq DESC LIMIT 1`);
    return newest !== undefined && clock.now() - Number(newest.at) > LONGEST_PAUSE_MS;
  }

  return {
    async run(remove) {
      const nowOffsetMs = clock.now() - clock.monotonic();
      if (await hasJumped(nowOffsetMs)) jumpedAtMs = clock.monotonic();
      offsetMs = nowOffsetMs;
      if (clock.monotonic() - jumpedAtMs >= DISTRUST_MS) await remove(clock.now());
    },
  };
}
