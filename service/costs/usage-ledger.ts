import * as z from "zod/mini";
import { join, sql } from "#service/db/sql.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
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

function valueList(usage: Partial<Usage>): Statement {
  return join(
    METERS.map((meter) => sql`${usage[meter] ?? null}`),
    ", ",
  );
}

/** Adds flows to the day's row and raises its peaks. Safe for concurrent processes. */
export function addMeteredUsage(day: string, usage: Usage, atMs: number): Statement {
  return sql`
    INSERT INTO usage_days (day, source, updated_at, ${COLUMN_LIST})
    VALUES (${day}, 'metered', ${atMs}, ${valueList(usage)})
    ON CONFLICT (day, source) DO UPDATE SET ${join(ADDED, ", ")},
      updated_at = max(updated_at, excluded.updated_at)`;
}

/** Stores the provider's figures for a day; meters it does not report stay null. */
export function setReconciledUsage(day: string, usage: Partial<Usage>, atMs: number): Statement {
  return sql`
    INSERT OR REPLACE INTO usage_days (day, source, updated_at, ${COLUMN_LIST})
    VALUES (${day}, 'reconciled', ${atMs}, ${valueList(usage)})`;
}

export type Ledger = {
  /** Oldest first; the provider's figure replaces our own where there is one. */
  readonly days: readonly UsageDay[];
  readonly reconciledDays: ReadonlySet<string>;
  readonly updatedAt: number | null;
};

/** The days from `firstDay` on. */
export async function readLedger(database: Database, firstDay: string): Promise<Ledger> {
  const rows = await database.all(
    sql`SELECT * FROM usage_days WHERE day >= ${firstDay} ORDER BY day, source`,
  );
  const metered = new Map<string, Row>();
  const reconciled = new Map<string, Row>();
  let updatedAt: number | null = null;
  for (const row of rows) {
    const { day, source, updated_at: atMs } = ledgerRow.parse(row);
    (source === "metered" ? metered : reconciled).set(day, row);
    updatedAt = Math.max(updatedAt ?? 0, atMs);
  }
  const days = [...new Set([...metered.keys(), ...reconciled.keys()])].sort();
  return {
    days: days.map((day) => ({ day, usage: mergeSources(reconciled.get(day), metered.get(day)) })),
    reconciledDays: new Set(reconciled.keys()),
    updatedAt,
  };
}

const ledgerRow = z.object({
  day: z.string(),
  source: z.enum(["metered", "reconciled"]),
  updated_at: z.number(),
});

/** The first metered day, or null if there is none. */
export async function firstMeteredDay(database: Database): Promise<string | null> {
  const [row] = await database.all(sql`SELECT min(day) AS day FROM usage_days`);
  return z.object({ day: z.nullable(z.string()) }).parse(row).day;
}

function mergeSources(preferred: Row | undefined, other: Row | undefined): Usage {
  return mapUsage((meter) => {
    const column = columnOf(meter);
    return z.number().parse(preferred?.[column] ?? other?.[column] ?? 0);
  });
}
