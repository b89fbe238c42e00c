import * as z from "zod/mini";
import { join, sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { isLevel, mapUsage, METERS, type Meter, type Usage, type UsageDay } from "./usage.ts";

/** `storedBytesPeak` is the column `stored_bytes_peak`. */
function columnOf(meter: Meter): string {
  return meter.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const COLUMNS = METERS.map((meter) => ({ sql: columnOf(meter), values: [] }));
const COLUMN_LIST = join(COLUMNS, ", ");

const ADDED = METERS.map((meter, index) => {
  const column = COLUMNS[index] ?? sql``;
  return isLevel(meter)
    ? sql`${column} = max(${column}, excluded.${column})`
    : sql`${column} = ${column} + excluded.${column}`;
});

/** Adds flows to the day's row and raises its peaks. Safe for concurrent processes. */
export function addMeteredUsage(day: string, usage: Usage, atMs: number): Statement {
  const values = join(
    METERS.map((meter) => sql`${usage[meter]}`),
    ", ",
  );
  return sql`
    INSERT INTO usage_days (day, updated_at, ${COLUMN_LIST})
    VALUES (${day}, ${atMs}, ${values})
    ON CONFLICT (day) DO UPDATE SET ${join(ADDED, ", ")},
      updated_at = max(updated_at, excluded.updated_at)`;
}

export type Ledger = {
  /** Oldest first. */
  readonly days: readonly UsageDay[];
  readonly updatedAt: number | null;
};

/** The days from `firstDay` on. */
export async function readLedger(database: Database, firstDay: string): Promise<Ledger> {
  const rows = await database.all(
    sql`SELECT * FROM usage_days WHERE day >= ${firstDay} ORDER BY day`,
  );
  const days = rows.map((row) => {
    const { day, updated_at: updatedAt } = ledgerRow.parse(row);
    const usage = mapUsage((meter) => z.number().parse(row[columnOf(meter)]));
    return { day, usage, updatedAt };
  });
  const updates = days.map(({ updatedAt }) => updatedAt);
  return { days, updatedAt: updates.length > 0 ? Math.max(...updates) : null };
}

const ledgerRow = z.object({ day: z.string(), updated_at: z.number() });

/** The first metered day, or null if there is none. */
export async function firstMeteredDay(database: Database): Promise<string | null> {
  const [row] = await database.all(sql`SELECT min(day) AS day FROM usage_days`);
  return z.object({ day: z.nullable(z.string()) }).parse(row).day;
}
