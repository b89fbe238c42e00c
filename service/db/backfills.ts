import type { Logger } from "#service/logger.ts";
import type { Platform } from "#service/platform.ts";
import { MIGRATIONS } from "./migrate.ts";
import { LOOK_EVERY_MS, type PendingWork } from "./pending-work.ts";
import { sql } from "./sql.ts";

/**
 * Rows of one statement, one each round: a million take ten minutes. Far below D1's limit of 30 s, and
 * on Node the time in which no request is answered.
 */
export const BACKFILL_ROWS = 5_000;

type BackfillContext = {
  readonly platform: Pick<Platform, "database" | "scheduler">;
  readonly log: Pick<Logger, "info">;
};

/** Ends the upgrades of `steps` (migration.ts). The state is in the database: any process goes on. */
export function scheduleBackfills(
  { platform: { database, scheduler }, log }: BackfillContext,
  pending: PendingWork,
  steps = MIGRATIONS,
): void {
  // Reads a row for each step.
  const lacking = sql`SELECT name FROM migrations WHERE lacks_backfill = 1 ORDER BY name LIMIT 1`;
  async function fillSome(): Promise<void> {
    const [row] = await database.all(lacking);
    const step = steps.find(({ name }) => name === row?.["name"]);
    if (step === undefined) return;
    const { name, backfill } = step;
    if (backfill !== undefined) {
      const { changes } = await database.run({ sql: backfill, values: [BACKFILL_ROWS] });
      if (changes > 0) return;
    }
    await database.run(sql`UPDATE migrations SET lacks_backfill = 0 WHERE name = ${name}`);
    log.info("The rows of an upgrade are filled", { step: name });
  }
  scheduler.every(LOOK_EVERY_MS, "backfills", pending.when(lacking, fillSome));
}
