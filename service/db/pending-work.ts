import type { Clock } from "#service/ports/clock.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
import { join, sql } from "./sql.ts";

/**
 * Interval of the tasks that look for work. An archive whose runner died resumes within its lease of
 * 20 s plus two intervals.
 */
export const LOOK_EVERY_MS = 3_000;

/** Shorter than the interval, so that each round of the tasks reads once. */
const FRESH_FOR_MS = LOOK_EVERY_MS - 500;

/**
 * Whether background tasks have anything to do. One statement answers for all of them, because
 * otherwise an idle deployment would read from its database several times a second.
 */
export type PendingWork = {
  /**
   * A task that runs while `rows`, a SELECT that an index answers, finds any. It notices new work
   * after at most two intervals.
   */
  when(
    rows: Statement | ((nowMs: number) => Statement),
    run: () => Promise<void>,
  ): () => Promise<void>;
};

export function createPendingWork(database: Database, clock: Clock): PendingWork {
  const columns: ((nowMs: number) => Statement)[] = [];
  let look: { readonly atMs: number; readonly found: Promise<Row | undefined> } | null = null;

  async function read(): Promise<Row | undefined> {
    // Some schedulers run a task as soon as it is scheduled: lets the others be added first.
    await Promise.resolve();
    const nowMs = clock.now();
    const found = columns.map((column) => column(nowMs));
    const [row] = await database.all(sql`SELECT ${join(found, ", ")}`);
    return row;
  }

  return {
    when(rows, run) {
      const name = `task${columns.length}`;
      const select = typeof rows === "function" ? rows : () => rows;
      columns.push((nowMs) => sql`EXISTS (${select(nowMs)}) AS ${{ sql: name, values: [] }}`);
      return async () => {
        const nowMs = clock.monotonic();
        if (look === null || nowMs - look.atMs >= FRESH_FOR_MS)
          look = { atMs: nowMs, found: read() };
        if ((await look.found)?.[name] === 1) await run();
      };
    },
  };
}
